// A rule is a path and means all that is below it too: `src`, `docs/guide.md`. In one part of it `*` stands for
// any characters, and a leading `**/` for any directories: `**/node_modules`, `src/*.js`. `**` alone means all.

/** Makes a test for paths of a tree out of rules. */
export function compilePathRules(rules: readonly string[]): (path: string) => boolean {
  const patterns = rules.map(toPattern);
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** Whether a text is a rule for paths. */
export function isPathRule(rule: string): boolean {
  if (rule === '**') return true;
  const rest = rule.startsWith(ANYWHERE) ? rule.slice(ANYWHERE.length) : rule;
  return (
    rest.length <= MAX_RULE_LENGTH &&
    rest
      .split('/')
      .every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('**')) &&
    // Each one may be tried against every rest of a name.
    rest.split('*').length <= MAX_STARS + 1 &&
    !rest.includes('\0') &&
    !rest.includes('\\')
  );
}

function toPattern(rule: string): RegExp {
  if (rule === '**') return /^/;
  const isAnywhere = rule.startsWith(ANYWHERE);
  const body = (isAnywhere ? rule.slice(ANYWHERE.length) : rule)
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '[^/]*');
  return new RegExp(`^${isAnywhere ? '(?:.*/)?' : ''}${body}(?:/|$)`, 's');
}

const ANYWHERE = '**/';
const MAX_RULE_LENGTH = 256;
const MAX_STARS = 4;
