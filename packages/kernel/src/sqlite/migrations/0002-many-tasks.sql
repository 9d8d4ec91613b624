-- Attempts that people granted beyond those of the contract.
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
