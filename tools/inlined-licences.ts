import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Writes `dist/THIRD-PARTY-LICENSES.txt` for the third-party code that a bundle really contains. */
export function inlinedLicences(): Plugin {
  return {
    name: 'inlined-licences',
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd((result) => {
        const inputs = Object.values(result.metafile?.outputs ?? {}).flatMap((output) =>
          Object.entries(output.inputs).filter(([, use]) => use.bytesInOutput > 0),
        );
        const folders = new Set<string>();
        for (const [file] of inputs) {
          if (file.includes('node_modules/')) folders.add(packageFolder(resolve(file)));
        }
        const outdir = build.initialOptions.outdir;
        if (folders.size === 0 || outdir === undefined) return;
        const text = [...folders].map(licenceOf).toSorted().join('\n');
        mkdirSync(resolve(outdir), { recursive: true });
        writeFileSync(join(resolve(outdir), 'THIRD-PARTY-LICENSES.txt'), text);
      });
    },
  };
}

function packageFolder(file: string): string {
  let folder = dirname(file);
  while (!isPackage(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function isPackage(manifest: string): boolean {
  return existsSync(manifest) && readManifest(manifest).name !== undefined;
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

function licenceOf(folder: string): string {
  const { name, version, license } = readManifest(join(folder, 'package.json'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined)
    throw new Error(`${name}@${version} is inlined but ships no licence file`);
  const text = readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license ?? 'see below'})\n\n${text}\n`;
}
