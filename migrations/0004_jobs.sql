-- Long work that outlives its request. state: queued, running, done, failed, cancelled. object_id: what it works on.
-- lease_until, runner: a running job whose lease has passed was interrupted with its process and is taken up again.
-- input, result: JSON by the job's kind. At most one unfinished job of a kind works on an object.
CREATE TABLE jobs (
    id            TEXT PRIMARY KEY,
    kind          TEXT NOT NULL,
    object_id     TEXT NOT NULL,
    tenant_id     TEXT NOT NULL REFERENCES tenants (id),
    owner         TEXT NOT NULL,
    state         TEXT NOT NULL,
    input         TEXT,
    stage         TEXT,
    done          BIGINT NOT NULL,
    total         BIGINT NOT NULL,
    percent       BIGINT NOT NULL,
    attempts      BIGINT NOT NULL,
    stop          SMALLINT NOT NULL,
    runner        TEXT,
    lease_until   BIGINT NOT NULL,
    result        TEXT,
    error_code    TEXT,
    error_message TEXT,
    created_at    BIGINT NOT NULL,
    started_at    BIGINT,
    finished_at   BIGINT
);
CREATE UNIQUE INDEX jobs_unfinished ON jobs (kind, object_id) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_finished ON jobs (finished_at);
