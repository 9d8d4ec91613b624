import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the child process and the packages of the engine are on this host, and where a sandbox sees them. */
export interface EngineFiles {
  /** The program of the child, for a child without walls. */
  readonly program: string;
  /** The same as the sandbox sees it. */
  readonly placedProgram: string;
  /** Source and place of all that the child reads. */
  readonly placed: readonly (readonly [source: string, place: string])[];
}

/** Finds the files; what they are placed under has nothing else in it. */
export function locateEngine(): EngineFiles {
  // Beside this file in the source, beside the bundle in the package.
  const program = fileURLToPath(new URL('./quickjs-child.mjs', import.meta.url));
  const core = packageFolder(program, 'quickjs-emscripten-core');
  const variant = packageFolder(program, '@jitl/quickjs-wasmfile-release-sync');
  const types = packageFolder(join(core, 'package.json'), '@jitl/quickjs-ffi-types');
  const modules = `${PLACE}/node_modules`;
  return {
    program,
    placedProgram: `${PLACE}/quickjs-child.mjs`,
    placed: [
      [program, `${PLACE}/quickjs-child.mjs`],
      [core, `${modules}/quickjs-emscripten-core`],
      [variant, `${modules}/@jitl/quickjs-wasmfile-release-sync`],
      [types, `${modules}/@jitl/quickjs-ffi-types`],
      [process.execPath, NODE],
    ],
  };
}

function packageFolder(from: string, name: string): string {
  const inside = name.split('/').join(sep);
  let folder = dirname(createRequire(from).resolve(name));
  while (!folder.endsWith(`${sep}${inside}`)) folder = dirname(folder);
  return folder;
}

const PLACE = '/run/millforge';

/** Where the sandbox sees the program of this process. */
export const NODE = `${PLACE}/node`;
