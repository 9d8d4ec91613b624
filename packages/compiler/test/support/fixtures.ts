import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type CompileRequest, toModelProfileCatalog, toToolCatalog } from '@millforge/compiler';

/** Folder of all fixtures. */
export const FIXTURES = new URL('../fixtures/', import.meta.url);

/** The identity under which the digests of the worked example are stated. */
const REFERENCE_IDENTITY = {
  name: 'millforge',
  version: '0.1.0',
  build_id: 'millforge.compiler.lowering.v1',
};

/** What the harness `review` needs, and no more. */
export const GRANTS = ['ticket.read', 'artifact.write', 'terminal.intent'];

/** One fixture folder, ready to compile. */
export function readFixture(name: string) {
  const folder = new URL(`${name}/`, FIXTURES);
  const read = (file: string) => readFileSync(new URL(file, folder), 'utf8');
  const optional = (file: string) => (existsSync(new URL(file, folder)) ? read(file) : null);
  const catalog =
    optional('catalog.json') ?? readFileSync(new URL('catalog.json', FIXTURES), 'utf8');
  const request: Partial<CompileRequest> = JSON.parse(optional('request.json') ?? '{}');
  return {
    source: new Uint8Array(readFileSync(new URL('harness.yaml', folder))),
    text: read('harness.yaml'),
    catalogText: catalog,
    folder,
    input: {
      catalog: toToolCatalog(catalog),
      profiles: toModelProfileCatalog(['docs.profile.small']),
      request: { grants: GRANTS, logicalPath: `${name}/harness.yaml`, ...request },
      identity: REFERENCE_IDENTITY,
    },
  };
}

/** Names of the fixture folders. */
export function fixtureNames(): { readonly valid: string[]; readonly invalid: string[] } {
  const names = readdirSync(FIXTURES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
  return {
    valid: names.filter((name) => !name.endsWith('.invalid')),
    invalid: names.filter((name) => name.endsWith('.invalid')),
  };
}
