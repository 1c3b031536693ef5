-- Credentials of a validator's gateway. One is good while whoever made it owns
-- the validator.
CREATE TABLE service_token (
    id TEXT NOT NULL PRIMARY KEY,
    validator_id TEXT NOT NULL REFERENCES validator (id),
    user_id TEXT NOT NULL REFERENCES lease_user (id),
    name TEXT NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX service_token_by_validator ON service_token (validator_id, id);

-- What gateways reported, each report once.
CREATE TABLE usage_report (
    validator_id TEXT NOT NULL REFERENCES validator (id),
    id TEXT NOT NULL,
    lease_id TEXT NOT NULL REFERENCES lease (id),
    window_start BIGINT NOT NULL,
    window_end BIGINT NOT NULL,
    signs BIGINT NOT NULL CHECK (signs >= 0),
    failed BIGINT NOT NULL CHECK (failed >= 0),
    received_at BIGINT NOT NULL,
    PRIMARY KEY (validator_id, id),
    CHECK (window_end > window_start)
);

-- The sums of a lease's reports, of all and by the day that they begin in,
-- counted from 1970-01-01.
CREATE TABLE lease_usage (
    lease_id TEXT NOT NULL PRIMARY KEY REFERENCES lease (id),
    signs BIGINT NOT NULL CHECK (signs >= 0),
    failed BIGINT NOT NULL CHECK (failed >= 0)
);
CREATE TABLE lease_usage_day (
    lease_id TEXT NOT NULL REFERENCES lease (id),
    day BIGINT NOT NULL,
    signs BIGINT NOT NULL CHECK (signs >= 0),
    failed BIGINT NOT NULL CHECK (failed >= 0),
    PRIMARY KEY (lease_id, day)
);
