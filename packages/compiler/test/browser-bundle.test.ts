import { createContext, Script } from 'node:vm';
import { compileHarness } from '@millforge/compiler';
import { build, defaultClientConditions } from 'vite';
import { beforeAll, expect, test } from 'vitest';
import { fixtureNames, readFixture } from './support/fixtures.ts';

let code = '';

beforeAll(async () => {
  const isBuilt = process.env['MILLFORGE_TEST_DIST'] !== undefined;
  const folder = `${import.meta.dirname}/..`;
  const entry = isBuilt ? `${folder}/dist/index.js` : `${folder}/src/index.ts`;
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: [...(isBuilt ? [] : ['millforge-src']), ...defaultClientConditions] },
    build: { write: false, lib: { entry, name: 'compiler', formats: ['iife'] } },
  });
  const [bundle] = Array.isArray(output) ? output : [];
  code = bundle?.output[0].code ?? '';
}, 60_000);

/** A global scope with what every browser has of what the language does not, and nothing of Node. */
function browser() {
  const global = createContext({ TextEncoder, TextDecoder });
  new Script(`${code}; globalThis.compiler = compiler;`).runInContext(global);
  return global;
}

test('a browser bundle holds nothing of Node', () => {
  expect(code.length).toBeGreaterThan(10_000);
  expect(code.match(/["'`]node:\w+|\brequire\(|__vite-browser-external/g)).toBeNull();
  const global = browser();
  const names = ['process', 'Buffer', 'require', 'module', 'setTimeout', 'structuredClone'];
  for (const name of names)
    expect(new Script(`typeof ${name}`).runInContext(global)).toBe('undefined');
});

test.each(['ticket-review', 'review'])('compiles %s to the same bytes as in Node', (name) => {
  const { source, input, catalogText } = readFixture(name);
  const result = compileHarness(source, input);
  const global = browser();
  global['given'] = JSON.stringify({
    source: new TextDecoder().decode(source),
    catalog: catalogText,
    request: input.request,
    identity: input.identity,
  });
  const inBrowser: string = new Script(`
    const { source, catalog, request, identity } = JSON.parse(given);
    const result = compiler.compileHarness(source, {
      catalog: compiler.toToolCatalog(catalog),
      profiles: compiler.toModelProfileCatalog(['docs.profile.small']),
      request,
      identity,
    });
    JSON.stringify([
      result.diagnostics, result.sha256, result.sourceSha256, result.documentSha256,
      result.ok ? new TextDecoder().decode(result.bytes) : null,
    ])
  `).runInContext(global);
  if (!result.ok) throw new Error('not compiled');
  expect(JSON.parse(inBrowser)).toEqual([
    [],
    result.sha256,
    result.sourceSha256,
    result.documentSha256,
    new TextDecoder().decode(result.bytes),
  ]);
  if (name !== 'ticket-review') return;
  expect(result.sha256).toBe('29676dd84c654df9e86dba041b4fa8bb7cad8c45af4df73f8d7cf23283144ad3');
});

test('finds in a browser what it finds in Node', { tags: ['slow'] }, () => {
  const global = browser();
  for (const name of fixtureNames().invalid) {
    const { source, input, catalogText } = readFixture(name);
    global['given'] = JSON.stringify({
      source: new TextDecoder().decode(source),
      catalog: catalogText,
      request: input.request,
    });
    const found: string = new Script(`{
      const { source, catalog, request } = JSON.parse(given);
      JSON.stringify(compiler.compileHarness(source, {
        catalog: compiler.toToolCatalog(catalog),
        profiles: compiler.toModelProfileCatalog(['docs.profile.small']),
        request,
      }).diagnostics)
    }`).runInContext(global);
    expect(found, name).toBe(JSON.stringify(compileHarness(source, input).diagnostics));
  }
});
