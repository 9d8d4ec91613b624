// Copies regions of example files into READMEs and doc comments.
//   tsx tools/sync-snippets.ts           rewrite what is stale
//   tsx tools/sync-snippets.ts --check   fail where something is stale
//
// A place for a snippet is a marker and the fence that follows it, in Markdown or a doc comment:
//   <!-- snippet: examples/02-run-offline/main.ts#run -->
//   ```ts
//   ```
// A region is the lines between `#region run` and the next `#endregion`, each in a comment.
// Without `#run` the whole file is copied. A region of TypeScript begins with the imports of this
// house that it uses, so that a reader can paste it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';

const MARKER = /^(?<prefix>[ \t]*(?:\* )?)<!-- snippet: (?<file>[^#\s]+)(?:#(?<region>\S+))? -->$/u;

const isCheck = process.argv.includes('--check');
const problems: string[] = [];
let snippets = 0;
for (const file of documents()) {
  const before = readFileSync(file, 'utf8');
  const after = synced(file, before);
  if (after === before) continue;
  if (isCheck) problems.push(`${file}: a snippet is stale; run \`npm run snippets\``);
  else writeFileSync(file, after);
}
for (const problem of problems) console.error(problem);
console.log(`${snippets} snippets, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

function documents(): readonly string[] {
  const markdown = ['packages', 'examples', 'docs']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => walk(folder, '.md'));
  const root = readdirSync('.').filter((name) => name.endsWith('.md'));
  const sources = readdirSync('packages').flatMap((name) => walk(`packages/${name}/src`, '.ts'));
  return [...root, ...markdown, ...sources];
}

function walk(folder: string, extension: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return ['node_modules', 'dist', 'fixtures'].includes(entry.name) ? [] : walk(path, extension);
    }
    return entry.name.endsWith(extension) ? [path] : [];
  });
}

function synced(file: string, text: string): string {
  const lines = text.split('\n');
  const out: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    out.push(line);
    const groups = MARKER.exec(line)?.groups;
    if (groups === undefined) continue;
    const prefix = groups['prefix'] ?? '';
    const isFence = (other = '') => other.startsWith(`${prefix}\`\`\``);
    const end = lines.findIndex((other, at) => at > index + 1 && isFence(other));
    if (!isFence(lines[index + 1]) || end === -1) {
      problems.push(`${file}:${index + 1}: no fence follows the snippet marker`);
      continue;
    }
    snippets += 1;
    const code = snippet(`${file}:${index + 1}`, groups['file'] ?? '', groups['region']);
    out.push(`${prefix}\`\`\`${extname(groups['file'] ?? '').slice(1)}`);
    out.push(...code.map((each) => `${prefix}${each}`.trimEnd()), `${prefix}\`\`\``);
    index = end;
  }
  return out.join('\n');
}

function snippet(place: string, file: string, region: string | undefined): readonly string[] {
  if (!existsSync(file)) {
    problems.push(`${place}: ${file} does not exist`);
    return [];
  }
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  if (region === undefined) return lines.filter((line) => !isBoundary(line));
  const start = lines.findIndex((line) => line.trim().endsWith(`#region ${region}`));
  const length = lines.slice(start + 1).findIndex((line) => line.includes('#endregion'));
  if (start === -1 || length === -1) {
    problems.push(`${place}: ${file} has no region ${region}`);
    return [];
  }
  const body = dedent(lines.slice(start + 1, start + 1 + length));
  return extname(file) === '.ts' ? [...importsOf(lines, body), ...body] : body;
}

function importsOf(lines: readonly string[], code: readonly string[]): readonly string[] {
  const IMPORT =
    /^import (?<type>type )?(?:(?<whole>\w+)|\{(?<names>[^}]*)\}) from '(?<from>[^.'][^']*)';$/gmu;
  const used = new Set(code.join('\n').match(/[A-Za-z_$][\w$]*/gu));
  const imports = [...lines.join('\n').matchAll(IMPORT)].flatMap(({ 0: statement, groups }) => {
    const whole = groups?.['whole'];
    if (whole !== undefined) return used.has(whole) ? [statement] : [];
    const names = (groups?.['names'] ?? '').split(',').map((name) => name.trim());
    const kept = names.filter((name) => name !== '' && used.has(name.replace(/^type /u, '')));
    if (kept.length === 0) return [];
    const [head, tail] = [`import ${groups?.['type'] ?? ''}{`, `} from '${groups?.['from']}';`];
    const line = `${head} ${kept.join(', ')} ${tail}`;
    return line.length <= 100 ? [line] : [head, ...kept.map((name) => `  ${name},`), tail];
  });
  return imports.length === 0 ? [] : [...imports, ''];
}

function isBoundary(line: string): boolean {
  return /^\s*(?:\/\/|#) ?#(?:end)?region\b/u.test(line);
}

function dedent(lines: readonly string[]): readonly string[] {
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const depth = Math.min(...indents);
  return lines.map((line) => line.slice(depth));
}
