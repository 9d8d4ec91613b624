import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { developError } from './develop-error.ts';

/**
 * The places themselves, whatever links lead to them.
 *
 * @throws `develop/place-invalid` for what is no absolute path or not there.
 */
export async function realPlaces(trees: {
  readonly candidate: string;
  readonly checks?: string;
}): Promise<{ readonly candidate: string; readonly checks?: string }> {
  const { candidate, checks } = trees;
  return {
    candidate: await realPlace('candidate', candidate),
    ...(checks === undefined ? {} : { checks: await realPlace('checks', checks) }),
  };
}

async function realPlace(name: keyof typeof WORDS, place: string): Promise<string> {
  if (!isAbsolute(place)) throw invalid(`${WORDS[name]} ${place} is no absolute path`);
  return realpath(place).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw invalid(`${WORDS[name]} ${place} cannot be looked at (${code})`);
  });
}

/**
 * Refuses directories that lie in each other: a work copy would capture itself, and a model come across the checks.
 *
 * @throws `develop/place-invalid`.
 */
export function assertPlaces(places: {
  readonly candidate: string;
  readonly checks: string | null;
  readonly directory: string;
}): void {
  const named = Object.entries(places).filter(
    (one): one is [keyof typeof places, string] => one[1] !== null,
  );
  for (const [name, place] of named) {
    if (!isAbsolute(place)) throw invalid(`${WORDS[name]} ${place} is no absolute path`);
    for (const [other, outer] of named) {
      if (name === other || !isWithin(place, outer)) continue;
      throw invalid(`${WORDS[name]} ${place} lies in ${WORDS[other]} ${outer}`);
    }
  }
}

function isWithin(place: string, outer: string): boolean {
  const path = relative(outer, place);
  return path === '' || (path !== '..' && !path.startsWith('../') && !isAbsolute(path));
}

function invalid(what: string): Error {
  return developError(
    'develop/place-invalid',
    `Candidate, protected checks and work copies need places of their own: ${what}.`,
  );
}

const WORDS = {
  candidate: 'the candidate',
  checks: 'the directory of checks',
  directory: 'the directory of work copies',
};
