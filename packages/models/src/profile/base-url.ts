/** A base URL in normal form, or why it is refused. */
export type BaseUrlResult =
  | { readonly ok: true; readonly baseUrl: string }
  | { readonly ok: false; readonly message: string };

/**
 * Brings a base URL into normal form, without a trailing slash.
 *
 * Plain http is for loopback hosts; `allowInsecureHttp` admits it for others. Without a scheme, a
 * loopback host gets http and any other host https.
 */
export function readBaseUrl(
  text: string,
  options: { readonly allowInsecureHttp: boolean },
): BaseUrlResult {
  const url = parse(text);
  if (url === null) {
    return refused('is not a URL; expected one like http://127.0.0.1:11434/v1');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refused('must begin with https:// or http://');
  }
  if (url.username !== '' || url.password !== '') {
    return refused('must not carry a user name or password; a key goes to the environment');
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) {
    return refused('must have neither query nor fragment');
  }
  const path = url.pathname.replace(/\/+$/, '');
  const added = ['/chat/completions', '/messages'].find((ending) => path.endsWith(ending));
  if (added !== undefined) return refused(`must end before ${added}, which is added to it`);
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname) && !options.allowInsecureHttp) {
    return refused(
      'uses plain http to another machine; use https, or set allow_insecure_http in a profile',
    );
  }
  return { ok: true, baseUrl: `${url.origin}${path}` };
}

/** Tells hosts of this machine, as `URL` writes them. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function parse(text: string): URL | null {
  if (/[\s\p{Cc}\\]/u.test(text) || text === '') return null;
  if (text.includes('://')) return constructed(text);
  const secure = constructed(`https://${text}`);
  return secure !== null && isLoopbackHost(secure.hostname)
    ? constructed(`http://${text}`)
    : secure;
}

function constructed(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function refused(reason: string): BaseUrlResult {
  return { ok: false, message: `The base URL ${reason}.` };
}
