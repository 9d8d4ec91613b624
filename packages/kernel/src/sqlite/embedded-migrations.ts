import type { Migration } from './migrate.ts';

/** The files of `migrations/`, in their order; a test holds them equal and rewrites this one. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-goals-and-trail',
    sql: `-- One goal: an admitted contract, its state, its units, and the head of its trail.
CREATE TABLE goals (
  goal INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  goal_id TEXT NOT NULL,
  goal_uid TEXT NOT NULL,
  resource TEXT NOT NULL,
  admitted_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  title TEXT NOT NULL,
  unchecked INTEGER NOT NULL,
  contract_sha256 TEXT NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  units_limit INTEGER NOT NULL,
  units_reserved INTEGER NOT NULL,
  units_settled INTEGER NOT NULL,
  artifact_bytes INTEGER NOT NULL,
  receipt_sha256 TEXT,
  failure_code TEXT,
  failure_message TEXT,
  head_seq INTEGER NOT NULL,
  head_sha256 TEXT NOT NULL,
  head_at TEXT NOT NULL,
  CHECK (units_reserved >= 0 AND units_settled >= 0),
  CHECK (units_reserved + units_settled <= units_limit)
) STRICT;
-- Serves every call that names a goal.
CREATE UNIQUE INDEX goals_by_id ON goals (tenant, goal_id);
-- Keeps the random name of a goal its own.
CREATE UNIQUE INDEX goals_by_uid ON goals (goal_uid);

-- One step of a goal, bound to one adapter.
CREATE TABLE tasks (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  binding_sha256 TEXT NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  output_sha256 TEXT
) STRICT;
-- Serves the tasks of a goal.
CREATE UNIQUE INDEX tasks_by_id ON tasks (goal, task_id);

-- One admitted execution of a task.
CREATE TABLE attempts (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  units INTEGER NOT NULL,
  resumes INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL,
  admitted_at TEXT NOT NULL,
  ended_at TEXT,
  suspended_by TEXT,
  failure_class TEXT,
  failure_code TEXT,
  failure_message TEXT
) STRICT;
-- Serves the attempts of a task.
CREATE UNIQUE INDEX attempts_by_number ON attempts (goal, task_id, number);

-- Who performs an attempt at this moment; a row goes when the owner lets the attempt go.
CREATE TABLE leases (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  owner_id TEXT NOT NULL,
  fence INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL
) STRICT;
-- Serves the claim of an attempt.
CREATE UNIQUE INDEX leases_by_task ON leases (goal, task_id);

-- One exchange with the outside that left a trace. A small payload stands in the row that names its digest, so that
-- writing it dirties no page more; a large one is in payloads.
CREATE TABLE operations (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  key TEXT NOT NULL,
  step INTEGER NOT NULL,
  kind TEXT NOT NULL,
  effect TEXT NOT NULL,
  repeat TEXT NOT NULL,
  metered INTEGER NOT NULL,
  sensitive INTEGER NOT NULL,
  describe TEXT NOT NULL,
  extends TEXT,
  input_sha256 TEXT NOT NULL,
  part_sha256 TEXT NOT NULL,
  key_ttl_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  owner_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  elapsed_ms INTEGER NOT NULL,
  before_sha256 TEXT,
  is_settled INTEGER NOT NULL,
  is_absent INTEGER NOT NULL,
  may_repeat INTEGER NOT NULL,
  outcome TEXT,
  outcome_sha256 TEXT,
  after_sha256 TEXT,
  attested_by TEXT,
  duration_ms INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cost_micros INTEGER,
  tool_calls INTEGER,
  wall_ms INTEGER,
  part_json TEXT,
  before_json TEXT,
  outcome_json TEXT,
  after_json TEXT
) STRICT;
-- Serves replay, and keeps a key its own.
CREATE UNIQUE INDEX operations_by_key ON operations (goal, task_id, key);

-- A decision of a run that is no operation, appended once per key; the text itself is in the trail.
CREATE TABLE notes (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  key TEXT NOT NULL,
  note_sha256 TEXT NOT NULL
) STRICT;
-- Serves replay, and keeps a key its own.
CREATE UNIQUE INDEX notes_by_key ON notes (goal, task_id, key);

-- A question to a person, and its answer.
CREATE TABLE holds (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  hold_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  attempt INTEGER,
  operation_key TEXT,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  facts TEXT NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  opened_at TEXT NOT NULL,
  decision TEXT,
  decided_by TEXT,
  decision_reason TEXT,
  decided_at TEXT
) STRICT;
-- Serves the holds of a goal.
CREATE UNIQUE INDEX holds_by_id ON holds (goal, hold_id);

-- The digest-bound record of a finished task.
CREATE TABLE receipts (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  receipt TEXT NOT NULL,
  receipt_sha256 TEXT NOT NULL
) STRICT;
-- Keeps it to one receipt a task.
CREATE UNIQUE INDEX receipts_by_task ON receipts (goal, task_id);

-- An artifact that a goal saved; the bytes are a file named by the digest.
CREATE TABLE artifacts (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  media_type TEXT NOT NULL
) STRICT;
-- Keeps it to one row a content.
CREATE UNIQUE INDEX artifacts_by_sha256 ON artifacts (goal, sha256);

-- One record of a goal's chained trail.
CREATE TABLE trail (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  type TEXT NOT NULL,
  actor TEXT NOT NULL,
  data TEXT NOT NULL,
  previous_sha256 TEXT NOT NULL,
  record_sha256 TEXT NOT NULL
) STRICT;
-- Serves the reading of a trail, and keeps a number its own.
CREATE UNIQUE INDEX trail_by_seq ON trail (goal, seq);

-- Contract, inputs, evidence, outcomes and outputs as canonical JSON, by digest, but for what a row itself keeps.
CREATE TABLE payloads (
  tenant TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
-- Serves every read of a payload.
CREATE UNIQUE INDEX payloads_by_sha256 ON payloads (tenant, sha256);

-- One kernel that was opened; its process lives while it keeps the file of its name locked. The row stays, since an
-- operation in doubt may name it.
CREATE TABLE owners (
  owner_id TEXT NOT NULL PRIMARY KEY,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  started_at TEXT NOT NULL,
  beat INTEGER NOT NULL,
  is_gone INTEGER NOT NULL
) STRICT;
-- Serves the search for processes that died.
CREATE INDEX owners_not_gone ON owners (owner_id) WHERE is_gone = 0;
`,
  },
  {
    name: '0002-many-tasks',
    sql: `-- Attempts that people granted beyond those of the contract.
ALTER TABLE tasks ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;
-- What a verify task said: pass or fail. Only the kernel writes it, never a program.
ALTER TABLE tasks ADD COLUMN verdict TEXT;
-- Serves the search for tasks that somebody could run, whatever the number of past goals.
CREATE INDEX tasks_open ON tasks (goal) WHERE state IN ('ready', 'running');
-- Serves the search for goals that only wait for their checks.
CREATE INDEX goals_checking ON goals (goal) WHERE state = 'checking';

-- Part of the idempotency key of a whole attempt; grows when a clean failure is performed anew.
ALTER TABLE attempts ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;
-- Whether a failed attempt is known to have had no effect.
ALTER TABLE attempts ADD COLUMN is_clean INTEGER NOT NULL DEFAULT 0;
-- Who claimed it last; asked for when it is in doubt whether that process may still act.
ALTER TABLE attempts ADD COLUMN owner_id TEXT NOT NULL DEFAULT '';
-- Whether the callback of an attempt in doubt is known to have ended.
ALTER TABLE attempts ADD COLUMN is_settled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN attested_by TEXT;

-- The most that a performance may use, for as long as it has no outcome; canonical JSON.
ALTER TABLE operations ADD COLUMN usage_bound TEXT;

-- A goal that was taken over from another file; it is read and never run here. Its trail tells this row.
CREATE TABLE imports (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  export_sha256 TEXT NOT NULL,
  records INTEGER NOT NULL,
  imported_by TEXT NOT NULL,
  imported_at TEXT NOT NULL
) STRICT;
-- Keeps it to one row a goal.
CREATE UNIQUE INDEX imports_by_goal ON imports (goal);

-- An artifact that an attempt is about to name; a collection leaves its bytes alone until the attempt has ended.
CREATE TABLE pins (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  task_id TEXT NOT NULL,
  number INTEGER NOT NULL
) STRICT;
-- Serves the collection of artifacts, and keeps it to one pin a content.
CREATE UNIQUE INDEX pins_by_sha256 ON pins (tenant, sha256, goal, task_id, number);
`,
  },
  {
    name: '0003-publications',
    sql: `-- One outside effect that a completed goal is to have: what is intended, who approved it, whether it was sent, what came of it.
CREATE TABLE publications (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  publication_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  request_sha256 TEXT NOT NULL,
  intent TEXT NOT NULL,
  intent_sha256 TEXT NOT NULL,
  action_sha256 TEXT NOT NULL,
  payload_sha256 TEXT NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  intended_by TEXT NOT NULL,
  intended_at TEXT NOT NULL,
  approved_by TEXT,
  approved_at TEXT,
  approval_reason TEXT,
  expires_at TEXT,
  operation_id TEXT,
  owner_id TEXT,
  sent_by TEXT,
  sent_at TEXT,
  send_by TEXT,
  settled_at TEXT,
  is_restored INTEGER NOT NULL,
  reason TEXT,
  message TEXT,
  ended_by TEXT,
  ended_at TEXT,
  evidence TEXT,
  late_answer TEXT,
  -- An operation has its name from the moment that its approval is consumed, and keeps it.
  CHECK ((operation_id IS NULL) = (state IN ('intended', 'approved', 'expired', 'revoked')))
) STRICT;
-- Serves every call that names a publication.
CREATE UNIQUE INDEX publications_by_id ON publications (goal, publication_id);
-- Keeps equal intents to one publication a round.
CREATE UNIQUE INDEX publications_by_request ON publications (goal, request_sha256, round);
-- Finds what was sent and has no known end, before the same thing is sent again.
CREATE INDEX publications_in_flight ON publications (tenant, action_sha256, payload_sha256)
  WHERE state IN ('sending', 'unknown');
`,
  },
  {
    name: '0004-kept-heads',
    sql: `-- A goal's row names the last record that changed this row, or no row at all; the trail itself has the last of all.
UPDATE goals SET (head_seq, head_sha256, head_at) = (
  SELECT seq, record_sha256, at FROM trail
   WHERE trail.goal = goals.goal AND trail.tenant = goals.tenant
     AND (json_type(data, '$.goals') IS NOT NULL OR (
       json_type(data, '$.tasks') IS NULL
       AND json_type(data, '$.attempts') IS NULL
       AND json_type(data, '$.operations') IS NULL
       AND json_type(data, '$.notes') IS NULL
       AND json_type(data, '$.holds') IS NULL
       AND json_type(data, '$.receipts') IS NULL
       AND json_type(data, '$.artifacts') IS NULL
       AND json_type(data, '$.publications') IS NULL
       AND json_type(data, '$.imports') IS NULL))
   ORDER BY seq DESC LIMIT 1);
`,
  },
];
