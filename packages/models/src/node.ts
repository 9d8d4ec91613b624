export {
  createNodeFetch,
  type NodeFetch,
  type NodeFetchOptions,
} from './node/create-node-fetch.ts';
