/**
 * Whether a path matches a glob: `*` and `?` inside one part, `**` for any number of parts, none included.
 *
 * Both are split at slashes and compared part by part, case included. The time is at most the product of
 * both lengths, whatever they hold.
 */
export function matchPathGlob(glob: string, path: string): boolean {
  return matches(partsOf(glob), partsOf(path), { isAnyDepth: isDeep, isMatch: matchPart });
}

/** Whether a glob takes everything below a folder: it ends in `**`, and what is before matches the folder. */
export function coversFolder(glob: string, folder: string): boolean {
  return isDeep(partsOf(glob).at(-1) ?? '') && matchPathGlob(glob, folder);
}

function partsOf(text: string): readonly string[] {
  return text.split('/').filter((part) => part !== '');
}

function isDeep(part: string): boolean {
  return part === '**';
}

function matchPart(pattern: string, part: string): boolean {
  return matches(Array.from(pattern), Array.from(part), {
    isAnyDepth: (character) => character === '*',
    isMatch: (character, other) => character === '?' || character === other,
  });
}

/** Goes on behind the latest wildcard when something does not match: an earlier one can give nothing more. */
function matches(
  pattern: readonly string[],
  items: readonly string[],
  rule: {
    readonly isAnyDepth: (item: string) => boolean;
    readonly isMatch: (item: string, other: string) => boolean;
  },
): boolean {
  let at = 0;
  let next = 0;
  let wildcard = -1;
  let taken = 0;
  while (next < items.length) {
    const wanted = pattern[at];
    const item = items[next] ?? '';
    if (wanted !== undefined && rule.isAnyDepth(wanted)) {
      wildcard = at++;
      taken = next;
    } else if (wanted !== undefined && rule.isMatch(wanted, item)) {
      at++;
      next++;
    } else if (wildcard >= 0) {
      at = wildcard + 1;
      next = ++taken;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((item) => rule.isAnyDepth(item));
}
