import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Bundles a process of the tests once, so that starting it costs milliseconds and not a compilation. */
export async function bundleChild(entry: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-child-'));
  const file = join(folder, 'bundle/child.mjs');
  await bundler().build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: process.env['MILLFORGE_TEST_DIST'] === undefined ? ['millforge-src'] : [],
    external: ['better-sqlite3'],
    banner: { js: REQUIRE },
    logLevel: 'error',
  });
  // The driver is native and stays where it was installed.
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(realpathSync(DRIVER), join(folder, 'node_modules/better-sqlite3'));
  return file;
}

interface Bundler {
  build(options: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The bundler that Vite brings along. */
function bundler(): Bundler {
  return createRequire(fileURLToPath(import.meta.resolve('vite')))('esbuild');
}

// Bundled CommonJS asks for built-in modules this way.
const REQUIRE = `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`;
const DRIVER = join(import.meta.dirname, '../../../kernel/node_modules/better-sqlite3');
