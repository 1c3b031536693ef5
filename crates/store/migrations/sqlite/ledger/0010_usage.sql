-- Credentials of a validator's gateway. One is good while whoever made it owns
-- the validator.
CREATE TABLE service_token (
    id TEXT NOT NULL PRIMARY KEY,
    validator_id TEXT NOT NULL REFERENCES validator (id),
    user_id TEXT NOT NULL REFERENCES lease_user (id),
    name TEXT NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE INDEX service_token_by_validator ON service_token (validator_id, id);

-- What gateways reported, each report once.
CREATE TABLE usage_report (
    validator_id TEXT NOT NULL REFERENCES validator (id),
    id TEXT NOT NULL,
    lease_id TEXT NOT NULL REFERENCES lease (id),
    window_start INTEGER NOT NULL,
    window_end INTEGER NOT NULL,
    signs INTEGER NOT NULL CHECK (signs >= 0),
    failed INTEGER NOT NULL CHECK (failed >= 0),
    received_at INTEGER NOT NULL,
    PRIMARY KEY (validator_id, id),
    CHECK (window_end > window_start)
) STRICT, WITHOUT ROWID;

-- The sums of a lease's reports, of all and by the day that they begin in,
-- counted from 1970-01-01.
CREATE TABLE lease_usage (
    lease_id TEXT NOT NULL PRIMARY KEY REFERENCES lease (id),
    signs INTEGER NOT NULL CHECK (signs >= 0),
    failed INTEGER NOT NULL CHECK (failed >= 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE lease_usage_day (
    lease_id TEXT NOT NULL REFERENCES lease (id),
    day INTEGER NOT NULL,
    signs INTEGER NOT NULL CHECK (signs >= 0),
    failed INTEGER NOT NULL CHECK (failed >= 0),
    PRIMARY KEY (lease_id, day)
) STRICT, WITHOUT ROWID;
