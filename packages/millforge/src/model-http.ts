import { createNodeFetch, type NodeFetch } from '@millforge/models/node';

/** How model servers are reached. */
export interface ModelHttp {
  /** The `fetch` for servers behind that proxy, or behind none; connections are kept between requests. */
  fetchFor(proxy: string | undefined): typeof globalThis.fetch;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** Makes the way to model servers; a `fetch` of the host is used for all of them, whatever profiles name. */
export function createModelHttp(given: typeof globalThis.fetch | undefined): ModelHttp {
  const opened = new Map<string, NodeFetch>();
  return {
    fetchFor(proxy) {
      if (given !== undefined) return given;
      const key = proxy ?? '';
      const known = opened.get(key) ?? createNodeFetch(proxy === undefined ? {} : { proxy });
      opened.set(key, known);
      return (input, init = {}) =>
        known.fetch(input instanceof Request ? input.url : String(input), init);
    },
    async close() {
      const all = [...opened.values()];
      opened.clear();
      await Promise.all(all.map((one) => one.close()));
    },
  };
}
