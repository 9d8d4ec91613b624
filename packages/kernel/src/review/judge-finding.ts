import { type JsonValue, MillforgeError, sha256 } from '@millforge/contracts';
import {
  type FindingIdentity,
  type JudgedFinding,
  type ProposedFinding,
  type RejectionReason,
  readProposedFinding,
} from './review-finding.ts';
import type { CapturedTree } from './review-role.ts';

/**
 * Finds out whether the source of a finding is real: path, lines and quote against the captured bytes.
 *
 * Only ends of lines are normalised. Nothing is mended: a quote that stands elsewhere is rejected, and where it
 * stands is said.
 */
export async function judgeFinding(
  finding: FindingIdentity & { readonly proposed: JsonValue },
  tree: CapturedTree,
): Promise<JudgedFinding> {
  const { finding_id, role, origin, proposed } = finding;
  const identity = { finding_id, role, origin };
  const reject = (
    reason: RejectionReason,
    message: string,
    found_at: readonly number[] = [],
  ): JudgedFinding => ({ ...identity, verdict: 'rejected', reason, message, found_at, proposed });

  const read = readProposedFinding(proposed);
  if (!read.ok) return reject('malformed', read.problem);
  const { path, start_line, end_line, quote } = read.finding;
  const file = tree.files.find((one) => one.path === path);
  if (file === undefined) {
    return reject('path-not-captured', 'The capture has no file of that path.');
  }
  const lines = await readOrNull(tree, path);
  if (lines === 'damaged') {
    return reject('digest-differs', 'The captured bytes are gone or were changed.');
  }
  if (lines === null) return reject('not-text', 'The file is no UTF-8 text, so it has no lines.');
  const wanted = unendedText(quote);
  if (end_line > lines.length) {
    return reject(
      'range-outside-file',
      `The file has ${lines.length} lines.`,
      placesOf(wanted, lines),
    );
  }
  if (lines.slice(start_line - 1, end_line).join('\n') !== wanted) {
    const places = placesOf(wanted, lines);
    return reject('quote-differs', differenceOf(read.finding, places), places);
  }
  return {
    ...identity,
    verdict: 'accepted',
    ...read.finding,
    quote: wanted,
    file_sha256: file.sha256,
    quote_sha256: sha256(wanted),
  };
}

async function readOrNull(
  tree: CapturedTree,
  path: string,
): Promise<readonly string[] | null | 'damaged'> {
  try {
    return await tree.readLines(path);
  } catch (error) {
    if (MillforgeError.is(error, 'artifact/corrupt')) return 'damaged';
    if (MillforgeError.is(error, 'artifact/not-found')) return 'damaged';
    throw error;
  }
}

function differenceOf(
  { start_line, end_line }: ProposedFinding,
  places: readonly number[],
): string {
  const lines =
    start_line === end_line ? `Line ${start_line}` : `Lines ${start_line} to ${end_line}`;
  if (places.length === 0) return `${lines} and the quote differ; it stands nowhere in the file.`;
  return `${lines} and the quote differ; it stands at line ${places.join(', ')}.`;
}

/** A text with `\n` between its lines and no end behind the last one. */
function unendedText(text: string): string {
  const normal = text.replaceAll('\r\n', '\n');
  return normal.endsWith('\n') ? normal.slice(0, -1) : normal;
}

/** The lines at which a quote begins, at most five. One pass over the text, whatever the quote. */
function placesOf(quote: string, lines: readonly string[]): readonly number[] {
  // A quote of nothing stands on every empty line, which helps nobody.
  if (quote.trim() === '') return [];
  const text = `\n${lines.join('\n')}\n`;
  const wanted = `\n${quote}\n`;
  const places: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    for (let end = text.indexOf('\n', counted + 1); end >= 0 && end <= at; ) {
      line += 1;
      counted = end;
      end = text.indexOf('\n', counted + 1);
    }
    places.push(line);
    if (places.length === MOST_PLACES) break;
  }
  return places;
}

const MOST_PLACES = 5;
