import { builtinTools } from '@millforge/builtin-tools';
import { createRegistry } from '@millforge/registry';
import { expect, test } from 'vitest';

/** Id, name, side effect, idempotency, capabilities, artifacts, arguments (required ones with !), results likewise. */
const TOOLS: readonly string[] = [
  'request.inspect inspect_request read_only idempotent request.read - -',
  'request.read_requirements read_request_requirements read_only idempotent request.read - -',
  'workspace.list_files list_workspace_files read_only idempotent workspace.read - root!,glob,max_results',
  'workspace.read_file read_workspace_file read_only idempotent workspace.read - path!,start_line,max_bytes',
  'workspace.search_text search_workspace_text read_only idempotent workspace.read,workspace.search - query!,root,glob,max_results',
  'workspace.write_file write_workspace_file workspace_write idempotent_with_key workspace.write - path!,content!,expected_sha256,expected_absent',
  'workspace.apply_patch apply_workspace_patch workspace_write idempotent_with_key workspace.write - patch!,expected_base_sha256',
  'workspace.read_diff read_workspace_diff read_only idempotent workspace.diff.read - paths,max_bytes',
  'shell.run_tests run_test_profile process_execution idempotent_with_key process.test - profile!,selector,max_output_bytes',
  'shell.run_static_check run_static_check_profile process_execution idempotent_with_key process.static_check - profile!,selector,max_output_bytes',
  'artifact.read read_artifact read_only idempotent artifact.read - artifact_id!,max_bytes',
  'artifact.read_plan read_plan_artifact read_only idempotent artifact.read - -',
  'artifact.read_patch_summary read_patch_summary_artifact read_only idempotent artifact.read - -',
  'artifact.read_test_results read_test_results_artifact read_only idempotent artifact.read - -',
  'artifact.read_workspace_diff read_workspace_diff_artifact read_only idempotent artifact.read - -',
  'artifact.read_checker_verdict read_checker_verdict_artifact read_only idempotent artifact.read - -',
  'artifact.write_plan write_plan_artifact artifact_write idempotent_with_key artifact.write plan plan!',
  'artifact.write_patch_summary write_patch_summary_artifact artifact_write idempotent_with_key artifact.write patch_summary summary!',
  'artifact.write_test_results write_test_results_artifact artifact_write idempotent_with_key artifact.write test_results results!',
  'artifact.write_workspace_diff write_workspace_diff_artifact artifact_write idempotent_with_key artifact.write,workspace.diff.read workspace_diff -',
  'artifact.write_checker_verdict write_checker_verdict_artifact artifact_write idempotent_with_key artifact.write checker_verdict verdict!',
  'artifact.write_arbiter_verdict write_arbiter_verdict_artifact artifact_write idempotent_with_key artifact.write arbiter_verdict verdict!',
  'artifact.write_verdict write_verdict_artifact artifact_write idempotent_with_key artifact.write arbiter_verdict,checker_verdict artifact_id!,verdict!',
  'terminal.submit submit_terminal_intent terminal non_idempotent terminal.intent - terminal_result!,summary!,artifact_refs',
  'terminal.reject reject_terminal_intent terminal non_idempotent terminal.intent - terminal_result!,summary!,artifact_refs',
  'terminal.escalate escalate_terminal_intent terminal non_idempotent terminal.intent - terminal_result!,summary!,blocker!,artifact_refs',
];

test('there are 26 tools, in the order of the families, with what each may do', () => {
  const rows = builtinTools().map(({ descriptor }) => {
    const { input_schema: input } = descriptor;
    const properties = 'properties' in input ? Object.keys(input.properties) : [];
    const required = 'properties' in input ? input.required : [];
    const sets = [
      descriptor.required_capabilities,
      descriptor.produced_artifact_ids,
      properties.map((name) => (required.includes(name) ? `${name}!` : name)).toSorted(),
    ].map((set) => (set.length === 0 ? '-' : set.join()));
    return [
      descriptor.tool_id.slice('builtin.'.length),
      descriptor.model_tool_name,
      descriptor.side_effect_class,
      descriptor.idempotency,
      ...sets,
    ].join(' ');
  });
  expect(rows).toEqual(TOOLS.map(sortArguments));
});

test('every result begins with a status and a summary, every limit is that of its family', () => {
  for (const { descriptor, origin } of builtinTools()) {
    const { output_schema: output } = descriptor;
    expect(origin).toBe('builtin');
    expect('properties' in output ? output.required : []).toEqual(
      expect.arrayContaining(['status', 'summary']),
    );
    const { side_effect_class: effect, timeout_policy: time } = descriptor;
    const [timeout, grace] =
      effect === 'process_execution' ? [1800, 30] : effect === 'terminal' ? [30, 5] : [300, 10];
    expect(time).toEqual({ timeout_seconds: timeout, cancellation_grace_seconds: grace });
    expect(descriptor.output_policy).toEqual({
      max_output_bytes: 1_048_576,
      max_summary_utf8: 65_536,
      redact_secrets: true,
    });
  }
});

test('what a tool is does not depend on what the operator has set up', () => {
  const digests = [
    builtinTools(),
    builtinTools({ protectedPaths: ['x'], testProfiles: { unit: { argv: ['x'] } } }),
  ].map((tools) => {
    const registry = createRegistry();
    registry.register(...tools);
    return registry.freeze().snapshotSha256;
  });
  expect(digests[0]).toBe(digests[1]);
});

test('a protected path that is none is a mistake of the host', () => {
  expect(() => builtinTools({ protectedPaths: ['../x'] })).toThrow('parent: ');
});

function sortArguments(row: string): string {
  const words = row.split(' ');
  return [...words.slice(0, -1), (words.at(-1) ?? '').split(',').toSorted().join()].join(' ');
}
