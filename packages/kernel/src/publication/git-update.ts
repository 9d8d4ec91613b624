import { isJsonObject } from './json-object.ts';

/**
 * One change of one ref, as the payload of a git publication.
 *
 * A task gives it as its output, or saves it as an artifact. A commit is a digest of all that it holds, so this is exactly what is
 * pushed.
 */
export interface GitUpdate {
  /** What this document is. */
  readonly kind: 'git_update';
  /** Version of its form. */
  readonly schema_version: '1.0';
  /** The whole name: `refs/heads/main`. */
  readonly ref: string;
  /** The commit that the ref has to be at; null for a ref that must not exist. */
  readonly old: string | null;
  /** The commit that it goes to. */
  readonly new: string;
}

/** Reads a payload as a change of a ref; the reason, in one sentence, where it is none. */
export function readGitUpdate(bytes: Uint8Array): GitUpdate | { readonly problem: string } {
  const value = parse(bytes);
  if (!isJsonObject(value)) return { problem: 'the payload is no JSON object' };
  const { kind, schema_version, ref, old, new: next, ...more } = value;
  if (kind !== 'git_update' || schema_version !== '1.0') {
    return { problem: 'the payload is no git_update 1.0' };
  }
  if (Object.keys(more).length > 0) return { problem: 'the payload has a field that is not known' };
  if (typeof ref !== 'string' || !isRefName(ref)) {
    return { problem: 'the ref is no whole name such as refs/heads/main' };
  }
  if (typeof next !== 'string' || !OBJECT_NAME.test(next)) {
    return { problem: 'the new commit is no whole object name' };
  }
  if (old !== null && (typeof old !== 'string' || !OBJECT_NAME.test(old))) {
    return { problem: 'the old commit is neither null nor a whole object name' };
  }
  return { kind, schema_version, ref, old, new: next };
}

/** Names that git takes, without those that its command line would read as something else. */
export function isRefName(name: string): boolean {
  return (
    name.length <= 1024 &&
    /^refs(?:\/[^\s~^:?*[\\/]+){2,}$/.test(name) &&
    !/\.\.|@\{|\/\.|\.lock(?:\/|$)|\.$/.test(name) &&
    !/\p{Cc}/u.test(name)
  );
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    // What is no JSON is told as such by the caller.
    return undefined;
  }
}

const OBJECT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
