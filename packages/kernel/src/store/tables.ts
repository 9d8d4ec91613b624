import type { SqlValue } from './sql-row.ts';

/** A table whose rows the trail tells in full, so that a verifier can rebuild them. */
export type TableName =
  | 'goals'
  | 'tasks'
  | 'attempts'
  | 'operations'
  | 'notes'
  | 'holds'
  | 'receipts'
  | 'artifacts'
  | 'publications'
  | 'imports';

/** What a table's rows are made of. */
export interface TableShape {
  /** Columns that name a row inside its goal. */
  readonly key: readonly string[];
  /** All other columns, and what they hold when nothing was said. */
  readonly defaults: { readonly [column: string]: SqlValue };
  /** Columns that hold JSON. */
  readonly json: readonly string[];
  /** Columns that hold digests of payloads. */
  readonly payloads: readonly string[];
  /** Those of them whose small payloads the row itself keeps, and the column that keeps them. */
  readonly kept: { readonly [column: string]: string };
}

/** The shapes of all tables that the trail tells. */
export const TABLES: { readonly [Name in TableName]: TableShape } = {
  goals: {
    key: [],
    defaults: {
      goal_id: '',
      goal_uid: '',
      resource: '',
      admitted_by: '',
      created_at: '',
      title: '',
      unchecked: 0,
      contract_sha256: '',
      state: '',
      version: 1,
      fence: 0,
      units_limit: 0,
      units_reserved: 0,
      units_settled: 0,
      artifact_bytes: 0,
      receipt_sha256: null,
      failure_code: null,
      failure_message: null,
    },
    json: [],
    payloads: ['contract_sha256'],
    kept: {},
  },
  tasks: {
    key: ['task_id'],
    defaults: {
      place: 0,
      binding_sha256: '',
      state: '',
      version: 1,
      attempts: 0,
      output_sha256: null,
      retries: 0,
      verdict: null,
    },
    json: [],
    payloads: ['output_sha256'],
    kept: {},
  },
  attempts: {
    key: ['task_id', 'number'],
    defaults: {
      state: '',
      version: 1,
      fence: 0,
      units: 0,
      resumes: 0,
      elapsed_ms: 0,
      admitted_at: '',
      ended_at: null,
      suspended_by: null,
      failure_class: null,
      failure_code: null,
      failure_message: null,
      generation: 1,
      is_clean: 0,
      owner_id: '',
      is_settled: 0,
      attested_by: null,
    },
    json: [],
    payloads: [],
    kept: {},
  },
  operations: {
    key: ['task_id', 'key'],
    defaults: {
      step: 0,
      kind: '',
      effect: '',
      repeat: '',
      metered: 0,
      sensitive: 0,
      describe: '',
      extends: null,
      input_sha256: '',
      part_sha256: '',
      key_ttl_ms: 86_400_000,
      state: '',
      version: 1,
      attempt: 0,
      fence: 0,
      owner_id: '',
      generation: 1,
      tries: 1,
      first_at: '',
      elapsed_ms: 0,
      before_sha256: null,
      is_settled: 0,
      is_absent: 0,
      may_repeat: 0,
      outcome: null,
      outcome_sha256: null,
      after_sha256: null,
      attested_by: null,
      duration_ms: null,
      input_tokens: null,
      output_tokens: null,
      cost_micros: null,
      tool_calls: null,
      wall_ms: null,
      usage_bound: null,
    },
    json: ['usage_bound'],
    payloads: ['part_sha256', 'before_sha256', 'outcome_sha256', 'after_sha256'],
    kept: {
      part_sha256: 'part_json',
      before_sha256: 'before_json',
      outcome_sha256: 'outcome_json',
      after_sha256: 'after_json',
    },
  },
  notes: {
    key: ['task_id', 'key'],
    defaults: { note_sha256: '' },
    json: [],
    payloads: [],
    kept: {},
  },
  holds: {
    key: ['hold_id'],
    defaults: {
      task_id: '',
      attempt: null,
      operation_key: null,
      reason: '',
      message: '',
      facts: '{}',
      state: '',
      version: 1,
      opened_at: '',
      decision: null,
      decided_by: null,
      decision_reason: null,
      decided_at: null,
    },
    json: ['facts'],
    payloads: [],
    kept: {},
  },
  receipts: {
    key: ['task_id'],
    defaults: { receipt: '', receipt_sha256: '' },
    json: ['receipt'],
    payloads: [],
    kept: {},
  },
  artifacts: {
    key: ['sha256'],
    defaults: { bytes: 0, media_type: '' },
    json: [],
    payloads: [],
    kept: {},
  },
  publications: {
    key: ['publication_id'],
    defaults: {
      round: 1,
      request_sha256: '',
      intent: '{}',
      intent_sha256: '',
      action_sha256: '',
      payload_sha256: '',
      state: '',
      version: 1,
      intended_by: '',
      intended_at: '',
      approved_by: null,
      approved_at: null,
      approval_reason: null,
      expires_at: null,
      operation_id: null,
      owner_id: null,
      sent_by: null,
      sent_at: null,
      send_by: null,
      settled_at: null,
      is_restored: 0,
      reason: null,
      message: null,
      ended_by: null,
      ended_at: null,
      evidence: null,
      late_answer: null,
    },
    json: ['intent', 'evidence', 'late_answer'],
    payloads: [],
    kept: {},
  },
  imports: {
    key: [],
    defaults: { export_sha256: '', records: 0, imported_by: '', imported_at: '' },
    json: [],
    payloads: [],
    kept: {},
  },
};
