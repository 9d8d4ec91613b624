import type { Options } from 'tsup';
import { inlinedLicences } from './inlined-licences.ts';

export interface PackageBuild {
  /** Entry files under `src`, without extension. */
  readonly entries: readonly string[];
  /** Import names that stay imports, besides the declared dependencies. */
  readonly external?: readonly string[];
  /** Workspace packages whose code and types go into the bundle. */
  readonly inline?: readonly string[];
  /** `neutral` makes a bundle that needs nothing of Node. */
  readonly platform?: 'node' | 'neutral';
}

/** The one build of every package: ESM for Node 20, declarations, licences of inlined code. */
export function packageBuild(build: PackageBuild): Options {
  return {
    entry: Object.fromEntries(build.entries.map((name) => [name, `src/${name}.ts`])),
    format: 'esm',
    target: 'node20',
    platform: build.platform ?? 'node',
    clean: true,
    splitting: true,
    treeshake: false,
    external: [...(build.external ?? [])],
    noExternal: [...(build.inline ?? [])],
    dts: {
      entry: Object.fromEntries(
        build.entries.filter(isTyped).map((name) => [name, `src/${name}.ts`]),
      ),
      resolve: [...(build.inline ?? [])],
    },
    tsconfig: 'tsconfig.json',
    silent: true,
    esbuildPlugins: [inlinedLicences()],
  };
}

function isTyped(name: string): boolean {
  return name !== 'bin' && !name.includes('sha256');
}
