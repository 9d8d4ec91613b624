import { descriptorDigest, digest, type JsonObject } from '@millforge/contracts';
import { type CustomToolsResult, compileCustomTools } from '@millforge/custom-tools';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleManifest, samplePolicy, sampleTool, schemaOf } from './sample-manifest.ts';

function accepted(result: CustomToolsResult) {
  if (!result.ok) expect(result.diagnostics).toEqual([]);
  // The line above has failed otherwise.
  return result.ok ? result.value : { sourceSha256: '', tools: [] };
}

const compile = (manifest: object, policy: JsonObject = samplePolicy()) =>
  compileCustomTools({ value: manifest }, policy);

test('gives a descriptor and a record for every tool', () => {
  const { sourceSha256, tools } = accepted(compile(sampleManifest()));
  expect(tools.map(({ descriptor }) => descriptor.tool_id)).toEqual(['custom.echo', 'custom.list']);
  const [echo] = tools;
  expect(echo?.descriptor).toMatchObject({
    implementation_id: 'impl.custom.echo.v1',
    model_tool_name: 'custom_echo',
    required_capabilities: ['custom.echo'],
    timeout_policy: { timeout_seconds: 5, cancellation_grace_seconds: 1 },
  });
  expect(echo?.record).toMatchObject({
    source_sha256: sourceSha256,
    runtime_kind: 'contract_only',
    approval_policy: 'none',
  });
  expect(echo?.record.descriptor_sha256).toBe(echo && descriptorDigest(echo.descriptor));
  expect(echo?.implementation).toBeNull();
});

test('every digest is that of the canonical JSON which the contract names', () => {
  const { sourceSha256, tools } = accepted(compile(sampleManifest()));
  const tool = sampleTool('echo');
  const declaration = digest({
    kind: 'millforge.custom_tool.declaration.v1',
    tool_id: 'custom.echo',
    tool_version: 1,
    implementation_id: 'impl.custom.echo.v1',
    runtime_kind: 'contract_only',
    model_tool_name: 'custom_echo',
    description: String(tool['description']),
    description_policy: 'operator_supplied',
    input_schema: bare('message'),
    output_schema: bare('result'),
    required_capabilities: ['custom.echo'],
    produced_artifact_ids: [],
    side_effect_class: 'read_only',
    idempotency: 'idempotent',
    timeout_policy: { timeout_seconds: 5, cancellation_grace_seconds: 1 },
    output_policy: { max_output_bytes: 65_536, max_summary_utf8: 4096, redact_secrets: true },
    approval_policy: 'none',
    input_policy: 'json_schema_exact',
    output_contract_policy: 'json_schema_exact',
    idempotency_key_policy: null,
  });
  expect(tools[0]?.record.declaration_sha256).toBe(declaration);
  expect(sourceSha256).toBe(
    digest({
      kind: 'millforge.custom_tool.source.v1',
      schema_version: 'millforge.custom_tool.source',
      source_kind: 'custom_tool_source',
      version: '1.0',
      package_id: 'custom.package',
      package_version: 1,
      source_name: 'sample',
      tools: tools.map(({ record }) => ({
        tool_id: record.tool_id,
        tool_version: record.tool_version,
        declaration_sha256: record.declaration_sha256,
      })),
      policy_metadata: { owner: 'docs' },
    }),
  );
  const { compilation_record_sha256, ...fields } = tools[0]?.record ?? {};
  expect(compilation_record_sha256).toBe(digest(JSON.parse(JSON.stringify(fields))));
});

test('no order of tools, fields, sets or annotations changes anything that comes out', () => {
  const manifest = sampleManifest();
  Object.assign(manifest.tools[0] ?? {}, {
    required_capabilities: ['custom.echo', 'custom.list'],
    input_schema: {
      ...schemaOf('message'),
      properties: { b: { type: 'string' }, a: { type: 'integer' } },
      required: ['a', 'b'],
    },
  });
  const expected = JSON.stringify(compile(manifest));
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const shuffled = shuffle(JSON.parse(JSON.stringify(manifest)), seed);
      expect(JSON.stringify(compile(Object(shuffled)))).toBe(expected);
    }),
    { numRuns: 60 },
  );
});

test('time is in no digest, the version of the package not in those of descriptors', () => {
  const before = accepted(compile(sampleManifest()));
  const later = accepted(compile({ ...sampleManifest(), created_at: '2027-01-01T00:00:00.5Z' }));
  expect(later).toEqual(before);
  const newer = accepted(compile({ ...sampleManifest(), package_version: 2 }));
  expect(newer.sourceSha256).not.toBe(before.sourceSha256);
  expect(newer.tools.map(({ record }) => record.descriptor_sha256)).toEqual(
    before.tools.map(({ record }) => record.descriptor_sha256),
  );
  expect(newer.tools[0]?.record.compilation_record_sha256).not.toBe(
    before.tools[0]?.record.compilation_record_sha256,
  );
});

test('a manifest that names its digests compiles to the same', () => {
  const { sourceSha256, tools } = accepted(compile(sampleManifest()));
  const manifest = sampleManifest();
  manifest['expected_source_sha256'] = sourceSha256;
  for (const [index, tool] of manifest.tools.entries()) {
    const record = tools[index]?.record;
    tool['expected_declaration_sha256'] = record?.declaration_sha256;
    tool['expected_descriptor_sha256'] = record?.descriptor_sha256;
    tool['expected_compilation_record_sha256'] = record?.compilation_record_sha256;
  }
  expect(
    accepted(compile(manifest, samplePolicy({ require_expected_hashes: true }))).tools,
  ).toEqual(tools);
});

test('reads YAML and says where in it a mistake stands', () => {
  const content = `schema_version: millforge.custom_tool.source
kind: custom_tool_source
version: "1.1"
package_id: custom.text
package_version: 1
created_at: "2026-01-02T03:04:05Z"
tools:
  - tool_id: custom.text.count
    tool_version: 1
    implementation_id: impl.custom.text.count.v1
    runtime_kind: sandboxed_js
    model_tool_name: count_words
    description: Counts the words of a text.
    description_policy: operator_supplied
    input_schema: { "type": "object", "properties": { "text": { "type": "string", "maxLength": 1000 } }, "required": ["text"], "additionalProperties": false }
    output_schema: { "type": "object", "properties": { "count": { "type": "integer" } }, "required": ["count"], "additionalProperties": false }
    side_effect_class: read_only
    idempotency: idempotent
    timeout_policy:
      timeout_seconds: 2
      cancellation_grace_seconds: 1
    output_policy:
      max_output_bytes: 1000
      max_summary_utf8: 1000
      redact_secrets: true
    approval_policy: none
    implementation:
      source: |
        // Reads /etc/nothing: code may look like code.
        export default ({ text }) => ({ count: text.split(/\\s+/).length });
`;
  const policy = samplePolicy({ allowed_runtime_kinds: ['contract_only', 'sandboxed_js'] });
  const text = (changed: string) =>
    compileCustomTools({ content: changed, logicalPath: 'tools.yaml' }, policy);
  const { tools } = accepted(text(content));
  expect(tools[0]?.implementation).toMatchObject({
    runtime_kind: 'sandboxed_js',
    code: { kind: 'sandboxed_js', entry: 'default', limits: {} },
  });
  expect(tools[0]?.record.implementation_sha256).toBe(
    tools[0]?.implementation?.implementation_sha256,
  );
  const wrong = text(content.replace('timeout_seconds: 2', 'timeout_seconds: 2.5'));
  expect(wrong.diagnostics).toMatchObject([
    {
      code: 'MF-CT016',
      path: '/tools/0/timeout_policy/timeout_seconds',
      span: { line: 20, column: 7 },
      logicalPath: 'tools.yaml',
    },
  ]);
  expect(text('- no manifest').diagnostics).toMatchObject([{ phase: 'parse' }]);
  // Another letter of the code is another implementation, and another declaration.
  const edited = accepted(text(content.replace('text.split', 'text.trim().split')));
  expect(edited.tools[0]?.record.descriptor_sha256).toBe(tools[0]?.record.descriptor_sha256);
  expect(edited.tools[0]?.record.declaration_sha256).not.toBe(tools[0]?.record.declaration_sha256);
});

const CODE = { source: 'export default () => ({})' };
test.each<[string, object, string]>([
  [
    'code in version 1.0',
    { version: '1.0', runtime_kind: 'sandboxed_js', implementation: CODE },
    'MF-CT003',
  ],
  ['no code', { runtime_kind: 'sandboxed_js' }, 'MF-CT020'],
  ['code for a contract', { implementation: CODE }, 'MF-CT020'],
  [
    'code for a function of the program',
    { runtime_kind: 'host_function', implementation: CODE },
    'MF-CT020',
  ],
  [
    'an entry that is no name',
    { runtime_kind: 'sandboxed_js', implementation: { ...CODE, entry: 'a b' } },
    'MF-CT020',
  ],
  [
    'a limit that is not known',
    { runtime_kind: 'sandboxed_js', implementation: { ...CODE, limits: { cpu: 1 } } },
    'MF-CT020',
  ],
  [
    'a limit that is no number',
    { runtime_kind: 'sandboxed_js', implementation: { ...CODE, limits: { memory_bytes: '1' } } },
    'MF-CT020',
  ],
  [
    'a function with side effects',
    {
      runtime_kind: 'sandboxed_js',
      implementation: CODE,
      side_effect_class: 'network_read',
      approval_policy: 'millrace_explicit',
    },
    'MF-CT020',
  ],
  [
    'a command that is no list',
    { runtime_kind: 'sandboxed_command', implementation: { command: 'ls -l' } },
    'MF-CT020',
  ],
  [
    'a command that writes and says that it reads',
    {
      runtime_kind: 'sandboxed_command',
      implementation: { command: ['true'], workspace: 'write' },
    },
    'MF-CT020',
  ],
  [
    'an environment that is no mapping of texts',
    {
      runtime_kind: 'sandboxed_command',
      implementation: { command: ['true'], environment: { A: 1 } },
    },
    'MF-CT020',
  ],
  [
    'a secret in the environment',
    {
      runtime_kind: 'sandboxed_command',
      implementation: { command: ['true'], environment: { API_KEY: 'abcdefgh' } },
    },
    'MF-CT002',
  ],
  [
    'a secret in the code',
    {
      runtime_kind: 'sandboxed_js',
      implementation: { source: 'const key = "sk-abcdefghijklmnop1234"' },
    },
    'MF-CT002',
  ],
  [
    'a kind that the policy does not admit',
    { runtime_kind: 'sandboxed_command', implementation: { command: ['true'] } },
    'MF-CT003',
  ],
])('refuses %s', (_what, change, code) => {
  const { version = '1.1', ...fields } = { ...change } as { version?: string };
  const manifest = sampleManifest();
  manifest.version = version;
  Object.assign(manifest.tools[0] ?? {}, fields);
  const kinds =
    code === 'MF-CT003'
      ? ['contract_only']
      : ['contract_only', 'host_function', 'sandboxed_js', 'sandboxed_command'];
  const result = compile(manifest, samplePolicy({ allowed_runtime_kinds: kinds }));
  expect(result.ok).toBe(false);
  expect(result.diagnostics.map((each) => each.code)).toContain(code);
  expect(JSON.stringify(result)).not.toMatch(/abcdefgh/u);
});

test('never throws, whatever it is given', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (manifest, policy) => {
      expect(compileCustomTools({ value: manifest }, policy).ok).toBe(false);
    }),
    { numRuns: 200 },
  );
});

function bare(property: string): JsonObject {
  return { ...schemaOf(property), properties: { [property]: { type: 'string' } } };
}

/** The same document with its keys, its tools and its sets in another order. */
function shuffle(value: unknown, seed: number, key = ''): unknown {
  const turn = <Item>(items: readonly Item[]): Item[] =>
    seed % 2 === 0 ? items.toReversed() : [...items.slice(1), ...items.slice(0, 1)];
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffle(item, seed));
    return ['tools', 'required_capabilities', 'required'].includes(key) ? turn(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    turn(Object.entries(value)).map(([name, item]) => [name, shuffle(item, seed, name)]),
  );
}
