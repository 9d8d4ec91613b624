import { copyFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Options } from 'tsup';
import { inlinedLicences } from './inlined-licences.ts';

export interface PackageBuild {
  /** Entry files under `src`, without extension. */
  readonly entries: readonly string[];
  /** Files under `src` that are built without declarations. */
  readonly untyped?: readonly string[];
  /** Files under `src` that ship as they are, beside the bundles. */
  readonly copies?: readonly string[];
  /** Imports that stay imports in the code; their declarations are bundled. */
  readonly external?: readonly string[];
  /** Folders of workspace packages whose code and types go into the bundle. */
  readonly inline?: readonly string[];
  /** `neutral` makes a bundle that needs nothing of Node. */
  readonly platform?: 'node' | 'neutral';
}

/**
 * The one build of every package: ESM for Node 20, declarations, licences of inlined code. With
 * `MILLFORGE_BUILD=code` in the environment it leaves the declarations out.
 */
export function packageBuild(build: PackageBuild): Options {
  const inline = build.inline ?? [];
  return {
    entry: sourceFiles([...build.entries, ...(build.untyped ?? [])]),
    format: 'esm',
    target: 'node20',
    platform: build.platform ?? 'node',
    clean: true,
    removeNodeProtocol: false,
    noExternal: inline.map((name) => `@millforge/${name}`),
    dts: process.env['MILLFORGE_BUILD'] !== 'code' && {
      entry: sourceFiles(build.entries),
      // Through `paths` a workspace package counts as own source, and its types are bundled too.
      compilerOptions: {
        paths: Object.fromEntries(
          inline.map((name) => [`@millforge/${name}`, [`../${name}/src/index.ts`]]),
        ),
      },
    },
    tsconfig: 'tsconfig.json',
    silent: true,
    esbuildOptions(options) {
      // Less to read at every start; names stay, so that a stack trace still tells where it was.
      options.minifyWhitespace = true;
      options.minifySyntax = true;
      options.lineLimit = 120;
      options.external = [...(options.external ?? []), ...(build.external ?? [])];
      // Inlined packages come in as source, so that only what is used comes in.
      if (inline.length > 0) options.conditions = ['millforge-src'];
    },
    esbuildPlugins: [inlinedLicences()],
    async onSuccess() {
      await copyFile('../../NOTICE', 'dist/NOTICE');
      for (const file of build.copies ?? [])
        await copyFile(`src/${file}`, `dist/${basename(file)}`);
    },
  };
}

function sourceFiles(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
}
