import { readdirSync, readFileSync } from 'node:fs';

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly publishConfig: { readonly exports: PackageManifest['exports'] };
}

/** The folders under `packages`, in the order of their names. */
export function packageFolders(): readonly string[] {
  return readdirSync('packages').map((name) => `packages/${name}`);
}

/** The manifest of one package folder. */
export function readManifest(folder: string): PackageManifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as PackageManifest;
}
