-- Keys of API clients. Only a digest is kept; a revoked key stays on record.
CREATE TABLE api_key (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    digest BYTEA NOT NULL UNIQUE CHECK (length(digest) = 32),
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
