import { createContext, Script } from 'node:vm';
import { build, defaultClientConditions } from 'vite';
import { beforeAll, expect, test } from 'vitest';

let code = '';

beforeAll(async () => {
  const isBuilt = process.env['MILLFORGE_TEST_DIST'] !== undefined;
  const folder = `${import.meta.dirname}/..`;
  const entry = isBuilt ? `${folder}/dist/index.js` : `${folder}/src/index.ts`;
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: [...(isBuilt ? [] : ['millforge-src']), ...defaultClientConditions] },
    build: { write: false, lib: { entry, name: 'guard', formats: ['iife'] } },
  });
  const [bundle] = Array.isArray(output) ? output : [];
  code = bundle?.output[0].code ?? '';
});

test('a browser bundle holds nothing of Node', () => {
  expect(code.length).toBeGreaterThan(10_000);
  expect(
    code.match(/["'`]node:\w+|\brequire\(|\bprocess\.|\bBuffer\b|__vite-browser-external/g),
  ).toBeNull();
});

test('a browser bundle judges a reply with nothing but what every browser has', () => {
  const global = createContext({ TextEncoder, TextDecoder });
  new Script(`${code}; globalThis.guard = guard;`).runInContext(global);
  const judged: unknown = new Script(`
    const tool = guard.toGuardTool({ name: 'read', schema: { type: 'object', properties: { id: { type: 'integer' } } } });
    const reply = { content: 'read{"id": "7"}', reasoning: null, tool_calls: [], finish_reason: 'stop', usage: null, provider_model: null };
    const options = { tools: [tool], policy: guard.defaultPolicy, state: guard.initialGuardState };
    JSON.stringify(guard.inspectReply(reply, options).decision.calls);
  `).runInContext(global);
  expect(JSON.parse(String(judged))).toMatchObject([{ name: 'read', arguments: { id: 7 } }]);
});
