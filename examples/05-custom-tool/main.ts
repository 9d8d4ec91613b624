import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHostSandbox, MillforgeError, type ModelScript, runTask } from 'millforge';
import { compileCustomTools } from 'millforge/custom-tools';
import { createCustomToolImplementations } from 'millforge/custom-tools/run';

const file = (name: string) => readFile(join(import.meta.dirname, name), 'utf8');

// What this host admits: two kinds of code, one capability.
const policy = {
  allowed_capability_ids: ['example.publish'],
  allowed_runtime_kinds: ['sandboxed_js', 'host_function'],
};
const manifest = { content: await file('tools.yaml'), logicalPath: 'tools.yaml' };

// #region compile
const compiled = compileCustomTools(manifest, policy);
if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message);
for (const { record } of compiled.value.tools) {
  const digest = record.compilation_record_sha256.slice(0, 12);
  console.log(`${record.tool_id}@${record.tool_version} ${record.runtime_kind} ${digest}`);
}

await using sandbox = createHostSandbox();
const published: string[] = [];
const tools = createCustomToolImplementations({
  tools: compiled.value.tools,
  sandbox,
  hostFunctions: {
    'impl.example.text.publish.v1': async ({ title }) => {
      published.push(JSON.stringify(title));
      return { kind: 'done', text: 'Published.', data: { number: published.length } };
    },
  },
});
// #endregion

// A model that is written down: it finds the word, tries to publish, and submits.
const script: ModelScript = {
  kind: 'model_script',
  schema_version: '1.0',
  replies: [
    {
      tool_calls: [
        { name: 'longest_word', arguments: { text: 'The mill grinds remarkably fine.' } },
      ],
    },
    { tool_calls: [{ name: 'publish', arguments: { title: 'remarkably' } }] },
    {
      tool_calls: [
        { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'Done.' } },
      ],
    },
  ],
};

const harness = await file('harness.yaml');
for (const verdict of ['decline', 'approve'] as const) {
  const result = await runTask({
    harness,
    task: 'Publish the longest word of: The mill grinds remarkably fine.',
    cwd: import.meta.dirname,
    dataDir: null,
    model: { kind: 'scripted', script },
    tools,
    grants: ['example.publish', 'terminal.intent'],
    approvals: {
      kind: 'approval_policy',
      schema_version: '1.0',
      rules: [{ tools: ['example.text.publish'], verdict }],
    },
    onEvent(event) {
      if (event.kind === 'call-ended') console.log(`  ${event.tool}: ${event.status}`);
      if (event.kind === 'call-refused') console.log(`  ${event.tool}: ${event.code}`);
    },
  });
  console.log(`${verdict}d: ${result.status}, published ${published.length}`);
}

// Somebody changes the code after the review, and another asks for what the host does not admit.
const [longest] = compiled.value.tools;
const code = longest?.implementation?.code;
if (longest?.implementation && code?.kind === 'sandboxed_js') {
  const changed = {
    ...longest.implementation,
    code: { ...code, source: `${code.source}// later` },
  };
  try {
    createCustomToolImplementations({ tools: [{ ...longest, implementation: changed }], sandbox });
  } catch (error) {
    console.log(MillforgeError.is(error) ? error.code : error);
  }
}
const strict = compileCustomTools(manifest, { ...policy, allowed_runtime_kinds: ['sandboxed_js'] });
for (const { code: found, message, span } of strict.diagnostics) {
  console.log(`tools.yaml:${span?.line}: ${found} ${message}`);
}
