/**
 * Reports whether a name announces a secret: `password`, `OPENAI_API_KEY`, `x-auth-token`.
 *
 * Names that only speak about secrets or about model tokens do not: `max_tokens`, `next_page_token`, `api_key_env`.
 */
export function isSecretName(name: string): boolean {
  if (!MAY_BE_SECRET.test(name)) return false;
  const words = wordsOf(name);
  const compact = words.join('');
  const last = words.at(-1) ?? '';
  if (DESCRIBING_WORDS.has(last)) return false;
  if (SECRET_STEMS.test(compact)) return true;
  if (last === 'tokens') return words.some((word) => TOKEN_OWNERS.has(word));
  return (
    words.some((word) => word.endsWith('token')) && !words.some((word) => CURSOR_WORDS.has(word))
  );
}

/** Reports whether everything below a name is secret, as in `credentials: { user, pass }`. */
export function isSecretContainerName(name: string): boolean {
  return CONTAINERS.test(wordsOf(name).at(-1) ?? '');
}

function wordsOf(name: string): readonly string[] {
  return name
    .slice(-MAX_NAME)
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

const MAX_NAME = 128;
/** Cheap first look: nearly every name fails it. */
const MAY_BE_SECRET = /secret|token|passw|passphrase|key|credential|cookie|authorization/i;
const SECRET_STEMS =
  /secret|passw(?:or)?d|passphrase|apikey|privatekey|accesskey|credential|cookie|authorization/;
/** A name that ends so tells something about a secret, not the secret. */
const DESCRIBING_WORDS = new Set(
  `budget count counts enabled endpoint env envs expires expiry field fields header headers hint kind length
   limit name names path policy ref refs required size ttl type types uri url usage var window`.split(
    /\s+/,
  ),
);
/** Tokens of paging and of tokenizers. */
const CURSOR_WORDS = new Set(
  'bos continuation cursor eos mask next pad page prev previous start stop sync unk'.split(' '),
);
const TOKEN_OWNERS = new Set('access api auth bearer refresh secret session'.split(' '));
const CONTAINERS = /^(?:secret|credential|password|cookie)s?$/;
