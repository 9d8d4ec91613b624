/** The part of `fetch` that the client uses; it must honour `signal` and `redirect: 'manual'`. */
export type ModelFetch = (url: string, init: RequestInit) => Promise<Response>;
