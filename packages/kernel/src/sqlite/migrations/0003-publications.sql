-- One outside effect that a completed goal is to have: what is intended, who approved it, whether it was sent, what came of it.
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
