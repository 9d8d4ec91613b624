import {
  type Diagnostic,
  type ExactJson,
  type JsonObject,
  toPlainJson,
} from '@millforge/contracts';
import type {
  CustomToolDeclaration,
  CustomToolManifest,
  ManifestVersion,
} from '../custom-tool-manifest.ts';
import { found } from '../diagnostics.ts';
import { type ReadPlace, type Report, readFields } from './field-reader.ts';
import { readDeclaration } from './read-declaration.ts';

/** Reads a manifest; null where anything is wrong, and all that is wrong is reported. */
export function readManifest(value: unknown): {
  readonly manifest: CustomToolManifest | null;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const report: Report = (diagnostic) => void diagnostics.push(diagnostic);
  const read = readFields(value, FIELDS, { path: '', report });
  const version = read.oneOf<ManifestVersion>('version', ['1.0', '1.1']);
  const tools = readTools(read.value('tools'), version, { path: '/tools', report });
  const manifest: CustomToolManifest = {
    schema_version: read.oneOf('schema_version', ['millforge.custom_tool.source']),
    kind: read.oneOf('kind', ['custom_tool_source']),
    version,
    package_id: read.text('package_id', { maxBytes: 160 }),
    package_version: read.integer('package_version', { most: Number.MAX_SAFE_INTEGER }),
    source_name:
      read.value('source_name', { absent: null }) === null
        ? null
        : read.text('source_name', { maxBytes: 512 }),
    created_at: read.word('created_at', { is: isUtc, expected: 'a time in UTC that ends with Z' }),
    tools,
    policy_metadata: readMetadata(read.value('policy_metadata', { absent: {} }), report),
    expected_source_sha256: read.digest('expected_source_sha256'),
  };
  reportDuplicates(tools, report);
  return { manifest: diagnostics.length === 0 ? manifest : null, diagnostics };
}

function readTools(
  value: unknown,
  version: ManifestVersion,
  { path, report }: ReadPlace,
): readonly CustomToolDeclaration[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_TOOLS) {
    const expected = `a list of 1 to ${MAX_TOOLS} tools`;
    report(found.sourceMalformed({ path, fields: { expected } }));
    return [];
  }
  return value.map((tool, index) =>
    readDeclaration(tool, version, { path: `${path}/${index}`, report }),
  );
}

function readMetadata(value: unknown, report: Report): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    // The scan has seen that all of it is JSON.
    const copy = toPlainJson(value as ExactJson);
    if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) {
      return Object.fromEntries(Object.entries(copy));
    }
  }
  const fields = { expected: 'an object' };
  report(found.sourceMalformed({ path: '/policy_metadata', fields }));
  return {};
}

function reportDuplicates(tools: readonly CustomToolDeclaration[], report: Report): void {
  const seen = { tool: new Set<string>(), name: new Set<string>(), code: new Set<string>() };
  for (const [index, tool] of tools.entries()) {
    const path = `/tools/${index}`;
    const { model_tool_name, implementation_id } = tool;
    const identity = `${tool.tool_id}@${tool.tool_version}`;
    if (isRepeated(seen.tool, tool.tool_id, identity)) {
      report(found.duplicateTool({ path: `${path}/tool_id`, fields: { tool: identity } }));
    }
    if (isRepeated(seen.name, model_tool_name)) {
      const fields = { model_tool_name };
      report(found.duplicateModelToolName({ path: `${path}/model_tool_name`, fields }));
    }
    if (isRepeated(seen.code, implementation_id)) {
      const fields = { implementation_id };
      report(found.duplicateImplementationId({ path: `${path}/implementation_id`, fields }));
    }
  }
}

/** What could not be read was reported and repeats nothing. */
function isRepeated(seen: Set<string>, text: string, identity = text): boolean {
  if (text === '') return false;
  if (seen.has(identity)) return true;
  seen.add(identity);
  return false;
}

function isUtc(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/u.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}

const MAX_TOOLS = 128;
const FIELDS = [
  'schema_version',
  'kind',
  'version',
  'package_id',
  'package_version',
  'source_name',
  'created_at',
  'tools',
  'policy_metadata',
  'expected_source_sha256',
];
