/**
 * The parts of a relative path, or null where it breaks the one rule for paths of requests and results.
 *
 * `.`, doubled and trailing slashes are taken out. Refused are absolute paths, `..`, a backslash, no part
 * at all, and parts that end with a dot or a space, hold a colon or NUL, or are names of devices on
 * systems that have them: a harness that compiles on one machine then compiles on every other.
 */
export function relativeParts(path: string): readonly string[] | null {
  if (path.startsWith('/') || path.includes('\\')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length > 0 && parts.every(isPart) ? parts : null;
}

function isPart(part: string): boolean {
  const [stem = ''] = part.split('.');
  return !/[. ]$|[:\0]/.test(part) && !DEVICE.test(stem);
}

const DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i;
