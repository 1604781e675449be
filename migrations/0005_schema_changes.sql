-- What was different in a version of a schema from the one before it: how many changes, and the first of them as JSON.
ALTER TABLE schema_snapshots ADD COLUMN change_count BIGINT;
ALTER TABLE schema_snapshots ADD COLUMN changes TEXT;
