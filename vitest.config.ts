import { existsSync, readdirSync } from 'node:fs';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// MILLFORGE_TEST_DIST=1 runs the same suite on the built packages.
const source = process.env['MILLFORGE_TEST_DIST'] === undefined ? ['millforge-src'] : [];

/** Bundlers have a condition of their own, whose builds Node cannot always load. */
function isKnownToNode(condition: string): boolean {
  return condition !== 'module';
}

const folders = [
  ...readdirSync('packages').map((name) => ({ name, root: `packages/${name}` })),
  ...readdirSync('tests').map((name) => ({ name, root: `tests/${name}` })),
  { name: 'tools', root: 'tools' },
].filter(({ root }) => existsSync(`${root}/test`));

/** Files whose processes take minutes come first: started last, one core would wait for the other. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files.filter(isLong), ...files.filter((file) => !isLong(file))];
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return LONG.test(moduleId);
}

/** Without state of their own: their files share a process, and load each module once. */
const PURE = new Set(['contracts', 'source', 'compiler', 'registry', 'guard', 'runtime']);

const MEASURED = ['test/hostile.test.ts', 'test/scale.test.ts'] as const;

const LONG = /test\/(?:crash\/crash|differential|integration\/(?:owners|concurrency))\.test\.ts$/u;

export default defineConfig({
  resolve: { conditions: [...source, ...defaultClientConditions] },
  ssr: {
    resolve: {
      conditions: [...source, ...defaultServerConditions.filter(isKnownToNode)],
      externalConditions: [...source, 'node', 'import', 'module-sync'],
    },
  },
  test: {
    // By default one core is left alone, which on a machine of two is half of it.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // Two cores are often shared with a build: slow is not the same as stuck.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    setupFiles: [`${import.meta.dirname}/vitest.setup.ts`],
    passWithNoTests: true,
    tags: [{ name: 'slow', description: 'Takes more than a second.' }],
    coverage: { include: ['packages/*/src/**'], reporter: ['text-summary', 'html'] },
    projects: [
      ...folders.map(({ name, root }) => ({
        extends: true as const,
        test: {
          name,
          root,
          isolate: !PURE.has(name),
          include: ['test/**/*.test.ts'],
          exclude: ['**/fixtures/**', ...(name === 'compiler' ? MEASURED : [])],
        },
      })),
      // These measure processor time: they run when nothing else does.
      {
        extends: true as const,
        test: {
          name: 'measured',
          root: 'packages/compiler',
          include: [...MEASURED],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
