import type { JsonObject } from '@millforge/contracts';
import type { CaptureScope } from './capture-source.ts';
import type { CaptureLimits } from './review-capture.ts';
import { reviewError } from './review-error.ts';
import type { ReviewRole } from './review-role.ts';
import type { ReviewSource } from './review-source.ts';

/** What is reviewed, by whom. */
export interface ReviewOptions {
  /** Where the bytes come from. */
  readonly source: ReviewSource;
  /** Files and folders in scope, by path in the tree. Default all. */
  readonly paths?: readonly string[];
  /** Who looks; 1 to 16, each with a word of its own. */
  readonly roles: readonly ReviewRole[];
  /** How much is captured. */
  readonly limits?: CaptureLimits;
  /** Milliseconds that one role may work. Default 30 min. */
  readonly roleTimeoutMs?: number;
  /**
   * Whether the review waits for a person at its end, who approves or denies its report; denied, the goal fails.
   * Default false.
   */
  readonly signOff?: boolean;
}

/** What is captured, with every default filled in. */
export function scopeOf({ paths, limits = {} }: ReviewOptions): CaptureScope {
  return {
    paths: paths === undefined ? null : [...new Set(paths.map(plainPath))].toSorted(),
    limits: {
      maxFiles: limits.maxFiles ?? 5000,
      maxFileBytes: limits.maxFileBytes ?? 1_048_576,
      maxBytes: limits.maxBytes ?? 67_108_864,
    },
  };
}

/** The scope as a part of the contract. */
export function scopeJson({ paths, limits }: CaptureScope): JsonObject {
  return { paths, limits: { ...limits } };
}

/** `./src/` is `src`. */
function plainPath(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
}

/** Refuses options that no review can be made of. */
export function checkOptions({
  paths,
  roles,
  limits = {},
  roleTimeoutMs = 1000,
}: ReviewOptions): void {
  const names = new Set(roles.map(({ role }) => role));
  if (names.size === 0 || names.size > 16 || names.size !== roles.length) {
    throw invalid('A review has 1 to 16 roles, each with a word of its own.');
  }
  for (const name of names) {
    if (!ROLE.test(name)) {
      throw invalid(`The role '${name.slice(0, 64)}' is none; expected 1 to 64 of a-z, 0-9 and -.`);
    }
  }
  for (const path of paths ?? []) {
    const parts = plainPath(path).split('/');
    if (parts.some((part) => part === '' || part === '..' || part === '.')) {
      throw invalid(
        `The path '${path.slice(0, 80)}' is none in a tree; expected names of folders and a file with / between them.`,
      );
    }
  }
  if (paths?.length === 0) throw invalid('No path is in scope; name some, or leave paths away.');
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw invalid(`The limit ${name} must be a whole number from 1.`);
    }
  }
  if (!Number.isSafeInteger(roleTimeoutMs) || roleTimeoutMs < 1000 || roleTimeoutMs > DAY_MS) {
    throw invalid(`roleTimeoutMs must be a whole number from 1000 to ${DAY_MS}.`);
  }
}

function invalid(message: string): Error {
  return reviewError('review/options-invalid', message);
}

const ROLE = /^[a-z0-9-]{1,64}$/;
const DAY_MS = 86_400_000;
