import {
  type ArtifactRef,
  type ArtifactStore,
  canonicalJson,
  type JsonValue,
  MillforgeError,
  readJson,
  sha256,
  toPlainJson,
} from '@millforge/contracts';

/** One file of a captured revision. */
export interface CapturedFile {
  /** Path in the tree, with `/`. */
  readonly path: string;
  /** Digest of its bytes, which are an artifact. */
  readonly sha256: string;
  /** Number of its bytes. */
  readonly bytes: number;
}

/** The files of one state of a tree, by digest; kept as an artifact of its own, whose digest names it. */
export interface CapturedRevision {
  /** Type of this document. */
  readonly kind: 'captured_revision';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** What was captured, in the words of where it comes from: a commit, a tree digest. */
  readonly revision: string;
  /** The files, by path. */
  readonly files: readonly CapturedFile[];
}

/** Stores the files of a tree and the list of them; the digest of the list names the revision from then on. */
export async function captureRevision(
  store: Pick<ArtifactStore, 'put'>,
  tree: {
    /** What is captured: a commit, a tree digest. */
    readonly revision: string;
    /** The files. A path that comes twice is refused. */
    readonly files: AsyncIterable<TreeFile> | Iterable<TreeFile>;
    /** Most bytes of one file. */
    readonly maxFileBytes: number;
  },
): Promise<ArtifactRef> {
  const files = new Map<string, CapturedFile>();
  for await (const { path, bytes } of tree.files) {
    if (files.has(path)) {
      throw new MillforgeError('artifact/invalid', `The path ${path} comes twice in one revision.`);
    }
    const ref = await store.put(bytes, {
      mediaType: 'application/octet-stream',
      maxBytes: tree.maxFileBytes,
    });
    files.set(path, { path, sha256: ref.sha256, bytes: ref.bytes });
  }
  const manifest = {
    kind: 'captured_revision',
    schema_version: '1.0',
    revision: tree.revision,
    files: [...files.values()]
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map((file) => ({ ...file })),
  };
  return store.put(Buffer.from(canonicalJson(manifest)), {
    mediaType: 'application/vnd.millforge.captured-revision+json',
    maxBytes: MAX_MANIFEST_BYTES,
  });
}

/** A file that is captured. */
export interface TreeFile {
  /** Path in the tree, with `/`. */
  readonly path: string;
  /** Its bytes. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
}

/** What is looked for in a captured revision: a text in its files, or a part of a path. */
export interface RetrievalQuery {
  /** Digest of the captured revision. */
  readonly revision: string;
  /** Text that lines must contain, exactly; it may go over several lines. */
  readonly pattern?: string;
  /** Text that paths must contain, exactly; with `pattern` too, only these files are read. */
  readonly path?: string;
  /** Most matches; 1 to 1,000. */
  readonly limit: number;
}

/** One exact piece of a captured file. */
export interface RetrievedQuote {
  /** Digest of the whole file. */
  readonly artifact: string;
  /** Its path. */
  readonly path: string;
  /** First line, from 1. */
  readonly start_line: number;
  /** Last line. */
  readonly end_line: number;
  /** The lines as they stand, without the last line break. */
  readonly quote: string;
  /** Digest of the quote. */
  readonly sha256: string;
}

/** What was found in one captured revision, and nothing of another one. */
export interface Retrieval {
  /** Digest of the captured revision. */
  readonly revision: string;
  /** What matched, by path and line. */
  readonly quotes: readonly RetrievedQuote[];
  /** Whether a limit cut the quotes: there are more. */
  readonly cut: boolean;
  /** Files that could not be looked into, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: 'not-text' | 'too-large' }[];
}

/** Finds exact pieces of the text files of one captured revision. */
export async function retrieve(
  store: Pick<ArtifactStore, 'open'>,
  query: RetrievalQuery,
): Promise<Retrieval> {
  // A program without types can give anything, also nothing.
  const { pattern, path, revision, limit }: RetrievalQuery = query ?? NO_QUERY;
  const parts = [pattern, path].filter((part) => part !== undefined);
  const isAsked =
    parts.every((part) => typeof part === 'string') && parts.some((part) => part !== '');
  if (!isAsked || !Number.isSafeInteger(limit) || limit < 1 || limit > 1000) {
    throw new MillforgeError(
      'artifact/invalid',
      'Give a pattern or a path that is not empty, and a limit from 1 to 1,000.',
    );
  }
  const files = readManifest(await readWhole(store, revision));
  const quotes: RetrievedQuote[] = [];
  const skipped: { path: string; reason: 'not-text' | 'too-large' }[] = [];
  for (const file of files) {
    if (path !== undefined && !file.path.includes(path)) continue;
    if (file.bytes > MAX_TEXT_BYTES) {
      skipped.push({ path: file.path, reason: 'too-large' });
      continue;
    }
    const text = textOf(await readWhole(store, file.sha256));
    if (text === null) {
      skipped.push({ path: file.path, reason: 'not-text' });
      continue;
    }
    for (const quote of quotesOf(text, file, pattern)) {
      if (quotes.length === limit) return { revision, quotes, cut: true, skipped };
      quotes.push(quote);
    }
  }
  return { revision, quotes, cut: false, skipped };
}

/** The pieces of one file: every place of the pattern, or the whole of it. */
function* quotesOf(
  text: string,
  file: CapturedFile,
  pattern: string | undefined,
): Iterable<RetrievedQuote> {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  if (starts.at(-1) === text.length && starts.length > 1) starts.pop();
  if (pattern === undefined || pattern === '') {
    yield quoteOf(text, file, { starts, first: 0, last: starts.length - 1 });
    return;
  }
  let line = 0;
  for (let at = text.indexOf(pattern); at >= 0; ) {
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= at) line += 1;
    const end = at + pattern.length - 1;
    let last = line;
    while ((starts[last + 1] ?? Number.POSITIVE_INFINITY) <= end) last += 1;
    yield quoteOf(text, file, { starts, first: line, last });
    // One quote a line: the next search begins behind what was quoted.
    const next = starts[last + 1];
    if (next === undefined) return;
    at = text.indexOf(pattern, next);
  }
}

function quoteOf(
  text: string,
  file: CapturedFile,
  lines: { readonly starts: readonly number[]; readonly first: number; readonly last: number },
): RetrievedQuote {
  const { starts, first, last } = lines;
  const end = starts[last + 1] ?? text.length;
  const whole = text.slice(starts[first] ?? 0, end);
  const quote = whole.endsWith('\n') ? whole.slice(0, -1) : whole;
  return {
    artifact: file.sha256,
    path: file.path,
    start_line: first + 1,
    end_line: last + 1,
    quote,
    sha256: sha256(quote),
  };
}

/** The text of UTF-8 bytes; null when they are none, or hold a null character. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}

async function readWhole(store: Pick<ArtifactStore, 'open'>, digest: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.open(digest)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function readManifest(bytes: Buffer): readonly CapturedFile[] {
  const read = readJson(bytes.toString('utf8'));
  const value: JsonValue = read.ok ? toPlainJson(read.value) : null;
  const manifest = fieldsOf(value);
  const files = manifest.get('files');
  if (manifest.get('kind') !== 'captured_revision' || !Array.isArray(files)) throw noManifest();
  return files.map((one) => {
    const file = fieldsOf(one);
    const [path, digest, size] = [file.get('path'), file.get('sha256'), file.get('bytes')];
    if (typeof path !== 'string' || typeof digest !== 'string' || typeof size !== 'number') {
      throw noManifest();
    }
    return { path, sha256: digest, bytes: size };
  });
}

function fieldsOf(value: JsonValue): ReadonlyMap<string, JsonValue> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

function noManifest(): MillforgeError {
  return new MillforgeError(
    'artifact/invalid',
    'The artifact is no captured revision; name the digest that captureRevision gave.',
  );
}

const NO_QUERY: RetrievalQuery = { revision: '', limit: 0 };
const MAX_MANIFEST_BYTES = 67_108_864;
const MAX_TEXT_BYTES = 16_777_216;
