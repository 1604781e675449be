-- What introspection and indexing found, the last versions of each datasource. source: hash of the connection it was found
-- through. A datasource of the configuration file or the demo has rows here, too.
CREATE TABLE schema_snapshots (
    datasource_id TEXT NOT NULL,
    fingerprint   TEXT NOT NULL,
    source        TEXT NOT NULL,
    taken_at      BIGINT NOT NULL,
    snapshot      TEXT NOT NULL,
    value_index   BYTEA,
    PRIMARY KEY (datasource_id, fingerprint)
);
