import type { JsonObject } from '@millforge/contracts';

const KEYS =
  'request_id status plan_commit_certainty diagnostic_report_state failure_phase source_document_sha256 source_sha256 request_identity_sha256 harness_id compiled_plan_path compiled_sha256 diagnostics_path diagnostics';

/** What a result document says that cannot be, one sentence each. */
export function findResultFaults(result: JsonObject): readonly string[] {
  const keys = Object.keys(result).join(' ');
  if (keys !== KEYS) return [`the keys are ${keys}`];
  const {
    status,
    plan_commit_certainty: certainty,
    diagnostic_report_state: report,
    failure_phase: phase,
  } = result;
  const has = (key: string) => result[key] !== null;
  const hasPlan = has('compiled_plan_path') && has('compiled_sha256');
  const hasNoPlan =
    !has('compiled_plan_path') && (!has('compiled_sha256') || status === 'prepared');
  const hasAllDigests = has('source_document_sha256') && has('source_sha256') && has('harness_id');
  const rules: readonly (readonly [string, boolean])[] = [
    ['a meaning without a document', !has('source_sha256') || has('source_document_sha256')],
    ['a harness without a meaning', !has('harness_id') || has('source_sha256')],
    ['a report that is absent and has a path', report !== 'absent' || !has('diagnostics_path')],
    [
      'a report that stands and has no path',
      (report !== 'prepared' && report !== 'committed') || has('diagnostics_path'),
    ],
    ['a failure without a phase', (status === 'failed') === has('failure_phase')],
    ['a failure with a plan that stands', status !== 'failed' || certainty !== 'committed'],
    [
      'a request that was refused and a digest',
      phase !== 'request' || (!has('source_document_sha256') && !has('request_identity_sha256')),
    ],
    ['a text that was refused and a meaning', phase !== 'parse' || !has('source_sha256')],
    ['a plan that is absent and named', certainty !== 'absent' || hasNoPlan],
    [
      'a plan in doubt outside of output, or without a name',
      certainty !== 'unknown' || (phase === 'output' && hasPlan),
    ],
    ['a preparation that is in doubt', status !== 'prepared' || certainty !== 'unknown'],
    ['a success without digests', status === 'failed' || hasAllDigests],
    ['a success without a plan', status !== 'committed' || (certainty === 'committed' && hasPlan)],
    ['a plan that stands and is not named', certainty !== 'committed' || hasPlan],
    [
      'a failure without a word',
      status !== 'failed' || (result['diagnostics'] as object[]).length > 0,
    ],
  ];
  return rules.filter(([, isKept]) => !isKept).map(([fault]) => fault);
}
