-- What was answered: results with their first rows, conversations with their turns, dashboards with their tiles.
-- Everything carries tenant and owner. Times are microseconds UTC; flags are 0 or 1; lists and objects are JSON text.

-- view_key names schema, policy and roles the rows were read under: another one means access is checked again.
CREATE TABLE results (
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT NOT NULL REFERENCES tenants (id),
    owner         TEXT NOT NULL,
    trace_id      TEXT NOT NULL,
    datasource_id TEXT NOT NULL,
    question      TEXT NOT NULL,
    reading       TEXT,
    sql           TEXT NOT NULL,
    plan          TEXT NOT NULL,
    columns       TEXT NOT NULL,
    receipt       TEXT NOT NULL,
    view_key      TEXT NOT NULL,
    sql_hash      TEXT NOT NULL,
    row_hash      TEXT NOT NULL,
    row_ceiling   BIGINT NOT NULL,
    row_count     BIGINT NOT NULL,
    stored_rows   BIGINT NOT NULL,
    truncated     SMALLINT NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);
CREATE INDEX results_owner ON results (tenant_id, owner, created_at);
CREATE INDEX results_expiry ON results (expires_at);

-- rows: one JSON array a line.
CREATE TABLE result_chunks (
    result_id TEXT NOT NULL REFERENCES results (id),
    first_row BIGINT NOT NULL,
    row_count BIGINT NOT NULL,
    rows      TEXT NOT NULL,
    PRIMARY KEY (result_id, first_row)
);

-- pending: the question back that the last turn ended with, with the plans of its options.
-- busy_until, busy_by: the lock of a running turn; it lapses by itself when the process that held it is gone.
CREATE TABLE conversations (
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT NOT NULL REFERENCES tenants (id),
    owner         TEXT NOT NULL,
    title         TEXT NOT NULL,
    datasource_id TEXT,
    turn_count    BIGINT NOT NULL,
    pending       TEXT,
    busy_until    BIGINT NOT NULL,
    busy_by       TEXT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE INDEX conversations_owner ON conversations (tenant_id, owner, updated_at, id);

-- result: the answer without its rows.
CREATE TABLE turns (
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    number          BIGINT NOT NULL,
    at              BIGINT NOT NULL,
    kind            TEXT NOT NULL,
    text            TEXT NOT NULL,
    question        TEXT,
    rewritten       SMALLINT NOT NULL,
    status          TEXT NOT NULL,
    trace_id        TEXT,
    result          TEXT,
    error           TEXT,
    PRIMARY KEY (conversation_id, number)
);

CREATE TABLE dashboards (
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT NOT NULL REFERENCES tenants (id),
    owner         TEXT NOT NULL,
    title         TEXT NOT NULL,
    datasource_id TEXT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE INDEX dashboards_owner ON dashboards (tenant_id, owner, updated_at, id);

CREATE TABLE tiles (
    id            TEXT PRIMARY KEY,
    dashboard_id  TEXT NOT NULL REFERENCES dashboards (id),
    position      BIGINT NOT NULL,
    title         TEXT NOT NULL,
    question      TEXT NOT NULL,
    reading       TEXT,
    datasource_id TEXT NOT NULL,
    source        TEXT NOT NULL,
    plan          TEXT NOT NULL,
    chart         TEXT NOT NULL,
    x             BIGINT NOT NULL,
    y             BIGINT NOT NULL,
    w             BIGINT NOT NULL,
    h             BIGINT NOT NULL
);
CREATE INDEX tiles_dashboard ON tiles (dashboard_id, position);
