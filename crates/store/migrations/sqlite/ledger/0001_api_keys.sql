-- Keys of API clients. Only a digest is kept; a revoked key stays on record.
CREATE TABLE api_key (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
