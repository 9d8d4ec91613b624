import { createRequire } from 'node:module';
import { jsonrepair } from 'jsonrepair';
import {
  defaultPolicy,
  initialGuardState,
  inspectReply,
  toGuardTool,
} from '../packages/guard/dist/index.js';
import { rescueToolCalls } from '../packages/guard/dist/rescue.js';
import { compare, median, report, timed } from './measure.mjs';

const require = createRequire(import.meta.url);
// The bundler that the repository has anyway, behind vite.
const { build } = createRequire(require.resolve('vite/package.json'))('esbuild');

const TOOLS = [
  toGuardTool({
    name: 'write_file',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  }),
  ...['read_file', 'list_files', 'run_command', 'search', 'submit'].map((name) =>
    toGuardTool({
      name,
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: { path: { type: 'string' } },
        required: ['path'],
      },
    }),
  ),
];
const EMPTY = {
  content: null,
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
};
const MEBIBYTE = 1048576;
const CODE = 'const total = items.reduce((sum, { price }) => sum + price, 0);\n';
const PROSE = 'The function (see above) adds the prices of [all] items, and returns their sum.\n';

/** What one judgement costs, how that grows with the reply, and what a rescue costs beside jsonrepair. */
export async function benchGuard() {
  const replies = {
    'a call with 2 KiB of arguments': withCall(2048),
    '2 KiB of prose': withText(PROSE, 2048),
    '2 KiB of code in a fence': {
      ...EMPTY,
      content: `\`\`\`js\n${filled(CODE, 2048)}\n\`\`\`\nDone.`,
    },
    'a call of 2 KiB written as text': asText(2048),
  };
  for (const [name, reply] of Object.entries(replies)) {
    line(`inspectReply: ${name}`, `${(await costOf(reply, 2000)).toFixed(1)} µs`, 'bar 50 µs');
  }
  const makers = {
    'a call': withCall,
    prose: (size) => withText(PROSE, size),
    'a call written as text': asText,
  };
  for (const [name, make] of Object.entries(makers)) {
    const cost = (size) => costOf(make(size), MEBIBYTE / size + 8);
    await reportGrowth(`inspectReply: ${name}`, 65536, cost);
  }
  // Node keeps strings of more than 128 KiB elsewhere, page by page, which `JSON.parse` pays as well.
  await reportGrowth('JSON.parse: the same call', 65536, parseCost);
  await reportGrowth('inspectReply: a call', 262144, (size) => costOf(withCall(size), 8));
  const call = asText(330).content.replace(/^.*\n/, '');
  const broken = call.replace(/\}\}$/, ',}}');
  report(
    `rescue of a ${broken.length}-byte call / jsonrepair`,
    await compare(
      () => timed(() => times(3000, () => rescueToolCalls(broken, { tools: TOOLS })), 3000),
      () => timed(() => times(3000, () => JSON.parse(jsonrepair(broken))), 3000),
      9,
    ),
    'call',
  );
  await reportSizes();
}

/** How much more a byte costs in a reply of 1 MiB than in a small one. */
async function reportGrowth(name, small, cost) {
  const perSmall = (size) => async () => (await cost(size)) / (size / small);
  const growth = await compare(perSmall(MEBIBYTE), perSmall(small), 7);
  report(`${name}, 1 MiB / ${small / 1024} KiB`, growth, `${small / 1024} KiB`);
}

async function parseCost(size) {
  const [{ arguments: text }] = withCall(size).tool_calls;
  const rounds = MEBIBYTE / size + 8;
  return timed(() => times(rounds, () => JSON.parse(text)), rounds);
}

async function costOf(reply, rounds) {
  const options = { tools: TOOLS, policy: defaultPolicy, state: initialGuardState };
  const work = () => timed(() => times(rounds, () => inspectReply(reply, options)), rounds);
  await work();
  return median([await work(), await work(), await work(), await work(), await work()]);
}

async function times(count, work) {
  for (let index = 0; index < count; index += 1) work();
}

function filled(piece, size) {
  return piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
}

function withText(piece, size) {
  return { ...EMPTY, content: filled(piece, size) };
}

function withCall(size) {
  const args = JSON.stringify({ path: 'src/a.ts', content: filled(CODE, size) });
  return { ...EMPTY, tool_calls: [{ id: 'a', name: 'write_file', arguments: args }] };
}

function asText(size) {
  const args = { path: 'src/a.ts', content: filled(CODE, size) };
  return {
    ...EMPTY,
    content: `I will write it.\n${JSON.stringify({ name: 'write_file', arguments: args })}`,
  };
}

async function reportSizes() {
  for (const [name, entry, names] of [
    ['all of the root', 'index', '*'],
    ['inspectReply and what it needs', 'index', '{ inspectReply, settleBatch }'],
    ['the same with toGuardTool', 'index', '{ inspectReply, settleBatch, toGuardTool }'],
    ['all of the rescue', 'rescue', '*'],
    ['all of the repair', 'repair', '*'],
  ]) {
    const { outputFiles } = await build({
      stdin: {
        contents: `export ${names} from '../packages/guard/dist/${entry}.js'`,
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      charset: 'utf8',
      logLevel: 'error',
    });
    const bytes = outputFiles[0].contents.length;
    const bar = names.includes('settleBatch }') ? 'bar 60 KB' : '';
    line(`minified: ${name}`, `${(bytes / 1024).toFixed(1)} KiB`, bar);
  }
}

function line(name, figure, bar) {
  process.stdout.write(`${name.padEnd(54)}${figure.padStart(14)}   ${bar}\n`);
}
