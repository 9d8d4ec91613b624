PRAGMA application_id = 1296454738;
PRAGMA user_version = 4;
CREATE TABLE artifacts (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  media_type TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX artifacts_by_sha256 ON artifacts (goal, sha256);
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
, generation INTEGER NOT NULL DEFAULT 1, is_clean INTEGER NOT NULL DEFAULT 0, owner_id TEXT NOT NULL DEFAULT '', is_settled INTEGER NOT NULL DEFAULT 0, attested_by TEXT) STRICT;
CREATE UNIQUE INDEX attempts_by_number ON attempts (goal, task_id, number);
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
CREATE UNIQUE INDEX goals_by_id ON goals (tenant, goal_id);
CREATE UNIQUE INDEX goals_by_uid ON goals (goal_uid);
CREATE INDEX goals_checking ON goals (goal) WHERE state = 'checking';
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
CREATE UNIQUE INDEX holds_by_id ON holds (goal, hold_id);
CREATE TABLE imports (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  export_sha256 TEXT NOT NULL,
  records INTEGER NOT NULL,
  imported_by TEXT NOT NULL,
  imported_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX imports_by_goal ON imports (goal);
CREATE TABLE leases (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  owner_id TEXT NOT NULL,
  fence INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX leases_by_task ON leases (goal, task_id);
CREATE TABLE notes (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  key TEXT NOT NULL,
  note_sha256 TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX notes_by_key ON notes (goal, task_id, key);
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
, usage_bound TEXT) STRICT;
CREATE UNIQUE INDEX operations_by_key ON operations (goal, task_id, key);
CREATE TABLE owners (
  owner_id TEXT NOT NULL PRIMARY KEY,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  started_at TEXT NOT NULL,
  beat INTEGER NOT NULL,
  is_gone INTEGER NOT NULL
) STRICT;
CREATE INDEX owners_not_gone ON owners (owner_id) WHERE is_gone = 0;
CREATE TABLE payloads (
  tenant TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX payloads_by_sha256 ON payloads (tenant, sha256);
CREATE TABLE pins (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  task_id TEXT NOT NULL,
  number INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX pins_by_sha256 ON pins (tenant, sha256, goal, task_id, number);
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
CREATE UNIQUE INDEX publications_by_id ON publications (goal, publication_id);
CREATE UNIQUE INDEX publications_by_request ON publications (goal, request_sha256, round);
CREATE INDEX publications_in_flight ON publications (tenant, action_sha256, payload_sha256)
  WHERE state IN ('sending', 'unknown');
CREATE TABLE receipts (
  goal INTEGER NOT NULL REFERENCES goals (goal),
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  receipt TEXT NOT NULL,
  receipt_sha256 TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX receipts_by_task ON receipts (goal, task_id);
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
, retries INTEGER NOT NULL DEFAULT 0, verdict TEXT) STRICT;
CREATE UNIQUE INDEX tasks_by_id ON tasks (goal, task_id);
CREATE INDEX tasks_open ON tasks (goal) WHERE state IN ('ready', 'running');
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
CREATE UNIQUE INDEX trail_by_seq ON trail (goal, seq);
