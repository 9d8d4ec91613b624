import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { startStep } from './progress.mjs';

const ROOT = dirname(import.meta.dirname);
const LOG = '.cache/setup.log';
const STAMP = 'node_modules/.millforge-setup';
const DRIVER = 'packages/kernel/node_modules/better-sqlite3';
const PNPM = 'pnpm@10.34.9';
const COMPILERS = {
  python3: ['python3', 'python'],
  make: ['make', 'gmake'],
  'g++': ['g++', 'c++', 'clang++'],
};
const FETCH_TIMEOUT_MS = 60_000;

/** A set-up that cannot go on; the message is the sentence that says why. */
export class SetupError extends Error {}

/** Installs what the lockfile names, gets the SQLite driver, and builds when asked. */
export async function prepareCheckout({ build }) {
  checkHost();
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  writeFileSync(join(ROOT, LOG), '');
  const isReady = isInstalled();
  if (!isReady) {
    await install();
    if (!driverLoads()) await fetchDriver();
  }
  // The driver is one large file for one core, and no package needs it to be built.
  const ended = await Promise.allSettled([
    ...(isReady || driverLoads() ? [] : [compileDriver()]),
    ...(build ? [buildPackages()] : []),
  ]);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  if (!isReady) writeFileSync(join(ROOT, STAMP), fingerprint());
}

// Declarations take most of a build and nothing that runs needs them.
async function buildPackages() {
  await run('Building the packages', ['turbo', 'run', 'build'], {
    env: { MILLFORGE_BUILD: 'code' },
  });
}

/** Installs what the benchmarks compare with; no script of a peer is run. */
export async function installPeers() {
  const lockfile = readFileSync(join(ROOT, 'bench/package-lock.json'), 'utf8');
  const stamp = join(ROOT, 'bench/node_modules/.millforge-setup');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile) return;
  await run('Installing the peers', ['npm', 'ci', '--ignore-scripts', '--prefer-offline'], {
    cwd: join(ROOT, 'bench'),
  });
  writeFileSync(stamp, lockfile);
}

function checkHost() {
  if (process.platform === 'win32') {
    throw new SetupError('Millforge runs on Linux, macOS and WSL; on Windows, use WSL.');
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new SetupError(
      `Millforge needs Node 20.19 or newer, this is Node ${process.versions.node}; install a newer one.`,
    );
  }
}

function isInstalled() {
  const stamp = join(ROOT, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint() && driverLoads();
}

function fingerprint() {
  const hash = createHash('sha256');
  const manifests = ['packages', 'examples', 'tests']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)))
    .map((folder) => join(folder, 'package.json'))
    .filter((file) => existsSync(join(ROOT, file)))
    .toSorted((one, other) => (one < other ? -1 : 1));
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]) {
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  const { platform, arch, versions } = process;
  return hash.update(`${platform} ${arch} ${versions.modules}`).digest('hex');
}

// The driver's own install script is left out here and done in the next steps, which can say what
// is missing before a compiler runs for a minute.
async function install() {
  const command = ['npx', '-y', PNPM, '--dir', ROOT, 'install', '--frozen-lockfile'];
  const flags = ['--prefer-offline', '--ignore-scripts', '--reporter=append-only'];
  // Started elsewhere, since npx would take the pnpm of this checkout, which is about to be replaced.
  await run('Installing dependencies', [...command, ...flags], { cwd: tmpdir() });
}

function driverLoads() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  const cwd = join(ROOT, 'packages/kernel');
  return spawnSync(process.execPath, ['-e', probe], { cwd, stdio: 'ignore' }).status === 0;
}

async function fetchDriver() {
  const folder = realpathSync(join(ROOT, DRIVER));
  const require = createRequire(join(folder, 'package.json'));
  await run(
    'Fetching the SQLite driver',
    [process.execPath, require.resolve('prebuild-install/bin.js')],
    {
      cwd: folder,
      timeoutMs: FETCH_TIMEOUT_MS,
      mayFail: 'not available for this machine, it will be compiled',
    },
  );
}

async function compileDriver() {
  const missing = Object.entries(COMPILERS).filter(([, commands]) => !commands.some(isCommand));
  if (missing.length > 0) {
    const sentences = missing.map(
      ([name]) =>
        `Compiling the SQLite driver needs ${name}, which is not on the PATH; install it and run this again.`,
    );
    throw new SetupError(sentences.join('\n'));
  }
  // npm lends its scripts the node-gyp that it brings.
  await run('Compiling the SQLite driver', ['npm', 'run', 'build-release'], {
    cwd: realpathSync(join(ROOT, DRIVER)),
  });
  if (!driverLoads()) throw new SetupError(`The SQLite driver does not load; see ${LOG}.`);
}

function isCommand(name) {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Runs one step with its output in the log. A failure names the log. */
async function run(title, [command, ...args], options = {}) {
  const step = startStep(title);
  appendFileSync(join(ROOT, LOG), `\n# ${title}: ${[command, ...args].join(' ')}\n`);
  const log = openSync(join(ROOT, LOG), 'a');
  const child = spawn(command, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...environment(), ...options.env },
    stdio: ['ignore', log, log],
    timeout: options.timeoutMs,
  });
  const failure = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `exit ${code ?? signal}`));
  });
  closeSync(log);
  if (failure === undefined) return step.end('done');
  if (options.mayFail !== undefined) return step.end(options.mayFail);
  step.end('failed');
  throw new SetupError(`${title} failed (${failure}); its output is in ${LOG}.`);
}

function environment() {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  const hasHeaders = existsSync(join(prefix, 'include/node/node.h'));
  return {
    // node-gyp would look for the headers on the net, although they stand beside the running Node.
    ...(hasHeaders ? { npm_config_nodedir: prefix } : {}),
    ...process.env,
    PATH: [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(
      delimiter,
    ),
    // Nobody is there to answer a question.
    CI: 'true',
    NO_UPDATE_NOTIFIER: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    npm_config_loglevel: 'error',
    npm_config_update_notifier: 'false',
  };
}
