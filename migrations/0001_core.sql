-- Who and what: tenants, API keys, datasources connected at run time, the audit trail.
-- Times are microseconds UTC; flags are 0 or 1; lists are JSON text.

CREATE TABLE tenants (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
INSERT INTO tenants (id, name, created_at) VALUES ('default', 'Default', 0);

CREATE TABLE api_keys (
    id          TEXT PRIMARY KEY,
    label       TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    tenant_id   TEXT NOT NULL REFERENCES tenants (id),
    level       TEXT NOT NULL,
    roles       TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    created_by  TEXT NOT NULL,
    revoked_at  BIGINT
);
CREATE INDEX api_keys_tenant ON api_keys (tenant_id, created_at, id);

-- connection: the whole connection object, sealed with the master key and bound to the id.
CREATE TABLE datasources (
    id          TEXT PRIMARY KEY,
    tenant_id   TEXT NOT NULL REFERENCES tenants (id),
    owner       TEXT NOT NULL,
    description TEXT,
    type        TEXT NOT NULL,
    connection  TEXT NOT NULL,
    options     TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

-- Append only. outcome: allowed (written before the first row leaves), done, refused, failed.
CREATE TABLE audit (
    id            TEXT PRIMARY KEY,
    at            BIGINT NOT NULL,
    tenant_id     TEXT,
    user_id       TEXT,
    level         TEXT NOT NULL,
    roles         TEXT NOT NULL,
    source        TEXT,
    key_id        TEXT,
    trace_id      TEXT NOT NULL,
    op            TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    code          TEXT,
    rule          TEXT,
    datasource_id TEXT,
    object_id     TEXT,
    question      TEXT,
    sql           TEXT,
    plan_hash     TEXT,
    tables        TEXT,
    columns       TEXT,
    row_count     BIGINT,
    duration_us   BIGINT
);
