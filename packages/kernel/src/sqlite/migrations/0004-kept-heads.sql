-- A goal's row names the last record that changed this row, or no row at all; the trail itself has the last of all.
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
