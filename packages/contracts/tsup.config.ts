import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'testing'],
  untyped: ['json/sha256-node', 'json/sha256-portable'],
  external: ['#sha256'],
});
