// Uses the packed tarballs as a stranger would, in empty folders, on this Node and on newer ones.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { packAll } from './pack.ts';

const COMPILER_LIMIT_BYTES = 12 * 1024 * 1024;
const NEWER_NODES = [22, 24];
const DRIVER = 'better-sqlite3/build/Release/better_sqlite3.node';
const WORKED_EXAMPLE = 'packages/compiler/test/fixtures/ticket-review';
const STEP_LIMIT_MS = 120_000;

const tarballs = await packAll();
const place = mkdtempSync(join(tmpdir(), 'millforge-pack-smoke-'));
let passed = 0;
let failed = 0;
try {
  await scenario('the compiler alone: small, no native code, import and require', async () => {
    const folder = await install('compiler', ['contracts', 'compiler']);
    checkWeight(folder);
    await script(process.execPath, folder, { file: 'compile.mjs', target: '@millforge/compiler' });
  });
  const whole = await install('millforge', [...tarballs.keys()].map(shortName));
  for (const node of [process.execPath, ...(await newerNodes())]) {
    const version = await execute(node, ['--version'], place);
    await scenario(`millforge without its driver, on Node ${version.trim()}`, async () => {
      await script(node, whole, { file: 'compile.mjs', target: 'millforge/compiler' });
      await script(node, whole, { file: 'without-driver.mjs', target: 'millforge' });
    });
  }
  await scenario('millforge with its driver: an example that keeps a trail', async () => {
    lendDriver(whole);
    await example(process.execPath, whole, '02-run-offline');
  });
  await scenario('a diagnostic names a page that was installed with it', async () => {
    await namesPage(whole);
  });
} finally {
  rmSync(place, { recursive: true, force: true });
}
console.log(`${passed} scenarios passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function scenario(title: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
    passed += 1;
    console.log(`passed: ${title}`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED: ${title}\n${error instanceof Error ? error.message : String(error)}`);
  }
}

function shortName(name: string): string {
  return name.replace(/^@millforge\//u, '');
}

async function namesPage(folder: string): Promise<void> {
  writeFileSync(join(folder, 'wrong.yaml'), 'kind: millforge_harness\n');
  const bin = join(folder, 'node_modules/millforge/dist/bin.js');
  const args = [bin, 'compile', 'wrong.yaml', '--data', join(folder, 'data')];
  const said = await execute(process.execPath, args, folder).catch(String);
  const [, page = 'none'] = /^ +page: (.+)$/mu.exec(said) ?? [];
  if (!existsSync(page)) throw new Error(`the page that is named is ${page}:\n${said}`);
}

// Install scripts stay off: the driver's takes minutes, and its absence is a case of its own.
async function install(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(place, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const files = packages.map((short) => {
    const tarball = tarballs.get(short === 'millforge' ? short : `@millforge/${short}`);
    if (tarball === undefined) throw new Error(`there is no tarball of ${short}`);
    return tarball;
  });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await execute('npm', ['install', ...flags, ...files], folder);
  return folder;
}

function checkWeight(folder: string): void {
  const modules = join(folder, 'node_modules');
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .map((file) => join(modules, file))
    .filter((file) => statSync(file).isFile());
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  if (bytes > COMPILER_LIMIT_BYTES) {
    throw new Error(`${folder} weighs ${bytes} bytes, more than ${COMPILER_LIMIT_BYTES}`);
  }
  const native = files.find((file) => file.endsWith('.node') || file.endsWith('binding.gyp'));
  if (native !== undefined) throw new Error(`${native} is native code`);
  for (const file of files.filter((each) => each.endsWith('/package.json'))) {
    const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly scripts?: Readonly<Record<string, string>>;
    };
    const hook = ['preinstall', 'install', 'postinstall'].find(
      (each) => scripts[each] !== undefined,
    );
    if (hook !== undefined) throw new Error(`${file} has the install script ${hook}`);
  }
}

// The driver that this checkout has built already.
function lendDriver(folder: string): void {
  const built = realpathSync('packages/kernel/node_modules/better-sqlite3');
  const target = join(folder, 'node_modules', DRIVER);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(dirname(built), DRIVER), target);
}

/** Newer Nodes, as npm packages that hold one binary each. */
async function newerNodes(): Promise<readonly string[]> {
  const folder = join(place, 'nodes');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const name = `node-${process.platform}-${process.arch}`;
  const aliases = NEWER_NODES.map((major) => `node-${major}@npm:${name}@${major}`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await execute('npm', ['install', ...flags, ...aliases], folder);
  return NEWER_NODES.map((major) => join(folder, `node_modules/node-${major}/bin/node`));
}

interface SmokeScript {
  readonly file: string;
  /** What the script imports. */
  readonly target: string;
}

/** Runs a script of `tools/pack-smoke` from inside the folder, so that it sees only what is there. */
async function script(node: string, folder: string, { file, target }: SmokeScript): Promise<void> {
  cpSync('tools/pack-smoke', folder, { recursive: true });
  cpSync(WORKED_EXAMPLE, join(folder, 'ticket-review'), { recursive: true });
  await execute(node, [file, target], folder);
}

async function example(node: string, folder: string, name: string): Promise<void> {
  const source = resolve('examples', name);
  const target = join(folder, name);
  if (!existsSync(target)) {
    cpSync(source, target, {
      recursive: true,
      filter: (file) => !file.endsWith('node_modules') && !file.endsWith('package.json'),
    });
    const { outputText } = ts.transpileModule(readFileSync(join(source, 'main.ts'), 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(target, 'main.mjs'), outputText);
  }
  const printed = await execute(node, ['main.mjs'], target);
  if (printed !== readFileSync(join(source, 'expected.txt'), 'utf8')) {
    throw new Error(`examples/${name} printed something else:\n${printed}`);
  }
}

async function execute(command: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1' };
  const options = { cwd, env, timeout: STEP_LIMIT_MS, encoding: 'utf8' } as const;
  return (await promisify(execFile)(command, args, options)).stdout;
}
