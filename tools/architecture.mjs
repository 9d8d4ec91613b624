// Holds the package graph, the effects and the compile phases of ARCHITECTURE.md against the source.
//   node tools/architecture.mjs           check everything
//   node tools/architecture.mjs --write   redraw the graph in ARCHITECTURE.md
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import { globalEffects } from './global-effects.mjs';

// Who may import whom, in the order of the flow. A new edge needs a sentence in ARCHITECTURE.md
// that says why a port in `contracts` would not do.
const GRAPH = {
  contracts: [],
  source: ['contracts'],
  compiler: ['contracts', 'source'],
  registry: ['contracts'],
  'builtin-tools': ['contracts'],
  'pi-tools': ['contracts'],
  connectors: ['contracts'],
  models: ['contracts'],
  guard: ['contracts'],
  'connector-mcp': ['contracts', 'connectors'],
  runtime: ['contracts', 'registry', 'guard'],
  sandbox: ['contracts'],
  'custom-tools': ['contracts', 'source', 'sandbox'],
  kernel: ['contracts'],
  cli: ['contracts', 'compiler', 'registry', 'connectors', 'models', 'runtime', 'kernel'],
  millforge: [
    'contracts',
    'source',
    'compiler',
    'registry',
    'builtin-tools',
    'pi-tools',
    'connectors',
    'connector-mcp',
    'models',
    'guard',
    'runtime',
    'sandbox',
    'custom-tools',
    'kernel',
    'cli',
  ],
};

// Edges that are inlined at build, so that the published package has fewer dependencies and files.
const INLINED = { guard: ['contracts'], compiler: ['source'] };

// Folders behind a second entry that use the first entry as everybody does. By name, so that the build
// leaves it an import: a file that both share would be one more to open for whoever needs the first only.
const BY_NAME = ['contracts/src/testing', 'compiler/src/render'];

const COMPILE_SIDE = ['source', 'compiler'];
const RUN_SIDE = [
  'registry',
  'builtin-tools',
  'pi-tools',
  'connectors',
  'connector-mcp',
  'models',
  'guard',
  'runtime',
  'kernel',
];

const PHASES = ['read', 'resolve', 'check', 'lower', 'emit'];

const HOST = [
  'connector-mcp/',
  'builtin-tools/',
  'pi-tools/',
  'sandbox/',
  'kernel/',
  'cli/',
  'millforge/',
];
const DISK = ['compiler/src/publish', ...HOST];

// Where an import with an effect, or of a third party, may stand: prefixes under `packages/`.
const ADDRESSES = {
  'node:assert': HOST,
  'node:async_hooks': ['models/src/node', 'runtime/', ...HOST],
  'node:buffer': ['models/', ...DISK],
  'node:child_process': [
    'connector-mcp/src/stdio',
    'builtin-tools/',
    'pi-tools/',
    'sandbox/',
    'kernel/src/publication/git-process.ts',
    'kernel/src/review/run-git.ts',
    'cli/',
    'millforge/',
  ],
  'node:crypto': [
    'connector-mcp/src/login',
    'connector-mcp/src/stdio',
    'contracts/src/json/sha256-node.ts',
    'kernel/',
    'millforge/',
  ],
  'node:events': HOST,
  'node:fs': DISK,
  'node:fs/promises': DISK,
  // A browser comes back to a port of this machine after a login.
  'node:http': ['connector-mcp/src/login', 'models/src/node', 'models/src/testing'],
  'node:https': ['models/src/node'],
  'node:module': ['sandbox/src/quickjs', 'kernel/', 'cli/', 'millforge/'],
  'node:net': [
    'connector-mcp/src/http',
    'connector-mcp/src/login',
    'models/src/node',
    'models/src/testing',
    'sandbox/src/reach/canary.ts',
  ],
  'node:os': DISK,
  'node:path': DISK,
  'node:process': ['cli/', 'millforge/'],
  'node:readline': ['pi-tools/', 'sandbox/src/quickjs', 'cli/'],
  'node:readline/promises': ['cli/'],
  'node:stream': ['models/', ...HOST],
  'node:string_decoder': HOST,
  'node:timers/promises': HOST,
  'node:tty': ['cli/'],
  'node:url': DISK,
  'node:util': HOST,
  // Only for its time limit, under which a pattern that backtracks without end is broken off.
  'node:vm': ['pi-tools/src/search/within-match-time.ts'],
  'node:worker_threads': ['sandbox/src/quickjs/quickjs-child.mjs', 'pi-tools/src/read'],
  '@jitl/quickjs-wasmfile-release-sync': ['sandbox/src/quickjs/quickjs-child.mjs'],
  'node:zlib': ['models/src/node', 'kernel/src/develop'],
  '@noble/hashes': ['contracts/src/json/sha256-portable.ts'],
  'better-sqlite3': ['kernel/'],
  'quickjs-emscripten-core': ['sandbox/src/quickjs/quickjs-child.mjs'],
  '@opentelemetry/api': ['kernel/src/telemetry'],
  '@vscode/ripgrep': ['pi-tools/'],
  '@silvia-odwyer/photon-node': ['pi-tools/src/read/image-worker.mjs'],
  'image-size': ['pi-tools/src/read/image-worker.mjs'],
  '@modelcontextprotocol/client': ['connector-mcp/'],
  'node:dns': ['connector-mcp/src/http'],
  diff: ['builtin-tools/', 'pi-tools/', 'kernel/src/develop', 'kernel/src/review/changed-lines.ts'],
  undici: ['connector-mcp/src/http', 'models/src/node'],
};

const BEGIN = '<!-- graph:start -->';
const END = '<!-- graph:end -->';

const packages = readdirSync('packages').filter((name) =>
  existsSync(`packages/${name}/package.json`),
);
const findings = [
  ...checkTable(),
  ...packages.flatMap(checkManifest),
  ...(await checkImports()),
  ...globalEffects(['cli', 'millforge']),
  ...checkDrawing(process.argv.includes('--write')),
];
for (const finding of findings) console.error(finding);
console.log(`${packages.length} packages, ${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;

function checkTable() {
  const missing = packages
    .filter((name) => GRAPH[name] === undefined)
    .map((name) => `packages/${name}: has no line in the graph of tools/architecture.mjs`);
  const crossing = [...walls(COMPILE_SIDE, RUN_SIDE), ...walls(RUN_SIDE, COMPILE_SIDE)];
  return [...missing, ...crossing];
}

function walls(from, to) {
  return from.flatMap((name) =>
    [...reach(name)]
      .filter((other) => to.includes(other))
      .map((other) => `graph: ${name} reaches ${other}, but the two halves meet only in the plan`),
  );
}

function reach(name, seen = new Set()) {
  for (const next of GRAPH[name] ?? []) {
    if (seen.has(next)) continue;
    seen.add(next);
    reach(next, seen);
  }
  return seen;
}

function checkManifest(name) {
  const file = `packages/${name}/package.json`;
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const allowed = (GRAPH[name] ?? []).filter((other) => !INLINED[name]?.includes(other)).toSorted();
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
    .filter((dependency) => dependency.startsWith('@millforge/'))
    .map((dependency) => dependency.slice('@millforge/'.length))
    .toSorted();
  if (declared.join() === allowed.join()) return [];
  return [`${file}: depends on [${declared.join(', ')}], the graph says [${allowed.join(', ')}]`];
}

async function checkImports() {
  const places = packages
    .filter((name) => existsSync(`packages/${name}/src`))
    .map((name) => `packages/${name}/src`);
  if (existsSync('examples')) places.push('examples');
  const { output } = await cruise(
    places,
    {
      validate: true,
      ruleSet: {
        forbidden: [
          {
            name: 'no-cycle',
            severity: 'error',
            from: {},
            to: { circular: true },
          },
        ],
      },
      doNotFollow: { path: ['node_modules', '/dist/'] },
      exclude: { path: ['/fixtures/', '/dist/'] },
      tsPreCompilationDeps: true,
      moduleSystems: ['es6'],
    },
    {
      conditionNames: ['millforge-src', 'import', 'node', 'types', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.json', '.d.ts'],
    },
  );
  const cycles = output.summary.violations.map(
    (violation) => `${violation.from}: is part of an import cycle through ${violation.to}`,
  );
  const edges = output.modules
    .filter((module) => /^(packages\/[^/]+\/src|examples)\//.test(module.source))
    .flatMap((module) => module.dependencies.map((to) => checkEdge(module.source, to)));
  return [...new Set([...cycles, ...edges.flat()])];
}

function checkEdge(from, to) {
  if (from.startsWith('examples/')) return checkExample(from, to);
  const owner = from.split('/')[1];
  if (to.module.startsWith('.') || to.module.startsWith('#')) return checkInner(from, to, owner);
  const name = to.coreModule ? `node:${to.module}` : packageName(to.module);
  if (name === 'millforge' || name.startsWith('@millforge/')) return checkInternal(from, to, owner);
  const addresses = ADDRESSES[name];
  if (addresses === undefined) {
    return [`${from}: imports ${name}, which has no address in tools/architecture.mjs`];
  }
  if (addresses.some((address) => from.slice('packages/'.length).startsWith(address))) return [];
  return [`${from}: imports ${name}, which stays at ${addresses.join(', ')}`];
}

function checkInner(from, to, owner) {
  if (to.couldNotResolve) return [`${from}: ${to.module} does not resolve`];
  const found = [];
  if (!to.resolved.startsWith(`packages/${owner}/src/`)) {
    found.push(`${from}: reaches out of its package by the relative path ${to.module}`);
  }
  if (owner === 'compiler' || owner === 'custom-tools') {
    const left = PHASES.indexOf(from.split('/')[3]);
    const right = PHASES.indexOf(to.resolved.split('/')[3]);
    if (left !== -1 && right > left) {
      found.push(`${from}: phase ${PHASES[left]} imports ${PHASES[right]}, which comes after it`);
    }
    const publish = 'packages/compiler/src/publish';
    if (to.resolved.startsWith(publish) && !from.startsWith(publish)) {
      found.push(`${from}: imports the publish entry, and with it the file system`);
    }
  }
  return found;
}

function checkInternal(from, to, owner) {
  const target = to.module.replace(/^@millforge\//, '').split('/')[0];
  if (target === owner) {
    return BY_NAME.some((folder) => from.startsWith(`packages/${folder}/`))
      ? []
      : [`${from}: imports its own package by name, use a relative path`];
  }
  if (!GRAPH[owner]?.includes(target)) {
    return [`${from}: imports ${to.module}, an edge that the graph does not have`];
  }
  return to.couldNotResolve ? [`${from}: ${to.module} is not an entry of that package`] : [];
}

function checkExample(from, to) {
  const folder = from.split('/').slice(0, 2).join('/');
  if (to.module.startsWith('.') && !to.resolved.startsWith(`${folder}/`)) {
    return [`${from}: reaches out of its folder by the relative path ${to.module}`];
  }
  if (/\/(src|dist)(\/|$)/.test(to.module) && !to.module.startsWith('.')) {
    return [`${from}: imports ${to.module}, but an example uses published names only`];
  }
  return to.couldNotResolve ? [`${from}: ${to.module} does not resolve`] : [];
}

function packageName(module) {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}

function checkDrawing(write) {
  const file = 'ARCHITECTURE.md';
  if (!existsSync(file)) return [`${file}: is missing`];
  const text = readFileSync(file, 'utf8');
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (start === -1 || end < start)
    return [`${file}: has no place for the graph (${BEGIN} … ${END})`];
  const next = text.slice(0, start) + drawing() + text.slice(end + END.length);
  if (next === text) return [];
  if (!write) return [`${file}: the graph is stale, run node tools/architecture.mjs --write`];
  writeFileSync(file, next);
  return [];
}

// Edges that follow from other edges are left out of the picture, the umbrella's above all.
function drawing() {
  const lines = Object.entries(GRAPH).flatMap(([name, targets]) =>
    targets
      .filter((target) => !targets.some((other) => other !== target && reach(other).has(target)))
      .map((target) => `  ${name} --> ${target}`),
  );
  return [BEGIN, '', '```mermaid', 'graph TD', ...lines, '```', '', END].join('\n');
}
