/** How far a granted capability goes; what is not stated is not bounded. */
export interface CapabilityConstraints {
  /** Globs of which every path of a call must match one: `src/**`, `/var/log/*.txt`. */
  readonly paths?: readonly string[];
  /** Hosts, or `*.host` for everything below one. */
  readonly hosts?: readonly string[];
  /** Whole commands; `git log *` also takes arguments without characters that the shell interprets. */
  readonly commands?: readonly string[];
  /** Bytes that one call may move. */
  readonly max_bytes?: number;
}

/** A capability that is granted, and how far the grant goes. */
export interface CapabilityGrant {
  /** Dotted id of the capability. */
  readonly capabilityId: string;
  /** What may not be gone beyond; a plan never depends on it. */
  readonly constraints?: CapabilityConstraints;
}

/** Constraints of one capability. */
export interface PlanCapabilityConstraint {
  /** The capability. */
  readonly capability_id: string;
  /** How far it goes. */
  readonly constraints: CapabilityConstraints;
}

/** A list of texts in a constraint: what each of them must be, and the words for it. */
export interface ConstraintList {
  /** The field. */
  readonly name: 'paths' | 'hosts' | 'commands';
  /** The test of one entry. */
  readonly isRight: (text: string) => boolean;
  /** The words for a right entry. */
  readonly expected: string;
}

/** Lists of a constraint, for readers of documents. */
export const CONSTRAINT_LISTS: readonly ConstraintList[] = [
  {
    name: 'paths',
    isRight: isPathGlob,
    expected: 'a glob with forward slashes and without . or .. as a part, such as src/**',
  },
  { name: 'hosts', isRight: isHostPattern, expected: 'a host in lower case, or *. and a host' },
  {
    name: 'commands',
    isRight: isCommandPattern,
    expected: 'one line of text, such as npm test or git log *',
  },
];

/** Entries that one list of a constraint may have. */
export const MAX_CONSTRAINT_ENTRIES = 64;

function isPathGlob(text: string): boolean {
  if (!isLine(text) || text.includes('\\')) return false;
  const parts = (text.startsWith('/') ? text.slice(1) : text).split('/');
  return text === '/' || parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

function isHostPattern(text: string): boolean {
  const host = text.startsWith('*.') ? text.slice(2) : text;
  return host.length <= 253 && host.split('.').every((label) => HOST_LABEL.test(label));
}

function isCommandPattern(text: string): boolean {
  return isLine(text) && text === text.trim() && text !== '*';
}

function isLine(text: string): boolean {
  return text.trim() !== '' && text.length <= 512 && !CONTROL.test(text);
}

const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const CONTROL = /\p{Cc}/u;
