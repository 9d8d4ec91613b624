import { basename, join } from 'node:path';
import { build } from 'vite';

/** Bundles a test's child process, so that starting it costs milliseconds and not a compilation. */
export async function bundleChild(source: string): Promise<string> {
  const name = basename(source, '.ts');
  // Below node_modules the driver still resolves, and git does not see it.
  const outDir = join(import.meta.dirname, `../node_modules/.test-${name}-${process.pid}`);
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['millforge-src', 'node', 'import'] },
    ssr: {
      noExternal: true,
      external: ['better-sqlite3'],
      resolve: { conditions: ['millforge-src', 'node', 'import'] },
    },
    build: {
      ssr: source,
      outDir,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
  });
  return join(outDir, `${name}.mjs`);
}
