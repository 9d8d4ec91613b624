// Checks what would be published: manifests, then each tarball with publint and attw.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packAll } from './pack.ts';
import { type PackageManifest, packageFolders, readManifest } from './package-entries.ts';

const FIELDS = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'sideEffects',
  'imports',
  'exports',
  'bin',
  'files',
  'engines',
  'scripts',
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'optionalDependencies',
  'publishConfig',
];

const folders = packageFolders();
const problems = [
  ...folders.flatMap(checkManifest),
  ...checkVersions(),
  ...(await checkTarballs()),
];
for (const problem of problems) console.error(problem);
console.log(`${folders.length} packages, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkManifest(folder: string): readonly string[] {
  const manifest = readManifest(folder);
  const found: string[] = [];
  const fields = Object.keys(manifest);
  const ordered = FIELDS.filter((field) => fields.includes(field));
  if (fields.join() !== ordered.join()) {
    found.push(`fields should be [${ordered.join(', ')}], in this order`);
  }
  const name = basename(folder);
  if (manifest.name !== (name === 'millforge' ? name : `@millforge/${name}`)) {
    found.push(`is named ${manifest.name}`);
  }
  for (const [entry, target] of Object.entries(manifest.exports)) {
    const { 'millforge-src': source, ...published } = target;
    if (source === undefined || !existsSync(`${folder}/${source}`)) {
      found.push(`entry ${entry} has no source file`);
    }
    if (JSON.stringify(published) !== JSON.stringify(manifest.publishConfig.exports[entry])) {
      found.push(`publishConfig.exports differs from exports at ${entry}`);
    }
  }
  for (const file of ['README.md', 'tsconfig.json', 'tsup.config.ts']) {
    if (!existsSync(`${folder}/${file}`)) found.push(`has no ${file}`);
  }
  return found.map((problem) => `${folder}: ${problem}`);
}

function checkVersions(): readonly string[] {
  const found: string[] = [];
  const seen = new Map<string, string>();
  const root = JSON.parse(readFileSync('package.json', 'utf8')) as PackageManifest;
  const manifests = folders.map((folder) => [folder, readManifest(folder)] as const);
  const versions = new Set(manifests.map(([, manifest]) => manifest.version));
  if (versions.size > 1) found.push(`packages: more than one version, ${[...versions].join(', ')}`);
  for (const [folder, manifest] of [['package.json', root] as const, ...manifests]) {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    for (const group of [dependencies, devDependencies, optionalDependencies]) {
      const names = Object.keys(group ?? {});
      if (names.join() !== names.toSorted().join()) {
        found.push(`${folder}: dependencies are not in the order of their names`);
      }
      for (const [name, version] of Object.entries(group ?? {})) {
        found.push(...checkVersion(`${folder}: ${name}`, version));
        const other = seen.get(name) ?? version;
        if (other !== version)
          found.push(`${folder}: ${name} is ${version} here, ${other} elsewhere`);
        seen.set(name, version);
      }
    }
  }
  return found;
}

function checkVersion(place: string, version: string): readonly string[] {
  if (version === 'workspace:*' || version === 'catalog:') return [];
  return /^(?:npm:[a-z0-9@/-]+@)?\d+\.\d+\.\d+$/u.test(version)
    ? []
    : [`${place} is ${version}, not one exact version`];
}

async function checkTarballs(): Promise<readonly string[]> {
  const found: string[] = [];
  const queue = [...(await packAll())];
  await Promise.all([worker(), worker()]);
  return found;

  async function worker(): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [name, tarball] = next;
      found.push(...(await lint(name, tarball)), ...(await typesResolve(name, tarball)));
    }
  }
}

async function lint(name: string, tarball: string): Promise<readonly string[]> {
  const bytes = readFileSync(tarball);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({
    pack: { tarball: buffer },
    level: 'warning',
    strict: true,
  });
  return messages.map(
    (message) => `${name}: publint: ${formatMessage(message, pkg, { color: false })}`,
  );
}

async function typesResolve(name: string, tarball: string): Promise<readonly string[]> {
  try {
    const args = ['node_modules/@arethetypeswrong/cli/dist/index.js', tarball];
    const flags = ['--profile', 'esm-only', '--no-emoji', '--format', 'ascii', '--no-color'];
    await promisify(execFile)(process.execPath, [...args, ...flags]);
    return [];
  } catch (error) {
    const output = (error as { readonly stdout?: string }).stdout ?? String(error);
    return [`${name}: attw: ${output.trim()}`];
  }
}
