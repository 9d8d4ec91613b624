import { createContext, Script } from 'node:vm';
import { digest, type ExactJson, sha256 } from '@millforge/contracts';
import * as fc from 'fast-check';
import { build, defaultClientConditions } from 'vite';
import { beforeAll, expect, test } from 'vitest';

let code = '';

beforeAll(async () => {
  const isBuilt = process.env['MILLFORGE_TEST_DIST'] !== undefined;
  const folder = `${import.meta.dirname}/../..`;
  const entry = isBuilt ? `${folder}/dist/index.js` : `${folder}/src/index.ts`;
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: [...(isBuilt ? [] : ['millforge-src']), ...defaultClientConditions] },
    build: { write: false, lib: { entry, name: 'contracts', formats: ['iife'] } },
  });
  const [bundle] = Array.isArray(output) ? output : [];
  code = bundle?.output[0].code ?? '';
});

test('a browser bundle holds nothing of Node', () => {
  expect(code.length).toBeGreaterThan(10_000);
  expect(code.match(/["'`]node:\w+|\brequire\(|__vite-browser-external/g)).toBeNull();
});

test('a browser bundle gives the digests of Node', () => {
  const global = createContext({ TextEncoder, TextDecoder });
  new Script(`${code}; globalThis.contracts = contracts;`).runInContext(global);
  const inBrowser = new Script('contracts.digest(JSON.parse(json))');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      global['json'] = JSON.stringify(value);
      // Any JSON value keeps its numbers as they are here.
      expect(inBrowser.runInContext(global)).toBe(digest(JSON.parse(global['json']) as ExactJson));
    }),
  );
  global['text'] = 'ü🙂'.repeat(10_000);
  expect(new Script('contracts.sha256(text)').runInContext(global)).toBe(sha256(global['text']));
});
