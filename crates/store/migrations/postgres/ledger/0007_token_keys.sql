-- Keys of lease tokens. All replicas sign with the same, and publish all of them.
CREATE TABLE token_key (
    kid TEXT NOT NULL PRIMARY KEY,
    -- Its two coordinates.
    point BYTEA NOT NULL UNIQUE CHECK (length(point) = 64),
    -- None if the key is kept elsewhere.
    secret BYTEA CHECK (length(secret) = 32),
    created_at BIGINT NOT NULL,
    -- Published before, so that nobody meets a token of a key that is new to them.
    signs_from BIGINT NOT NULL,
    -- None for as long as nothing has replaced it.
    published_until BIGINT,
    -- 1 for the one of those kept here that nothing has replaced: there is one.
    newest BIGINT UNIQUE CHECK (newest = 1),
    CHECK (newest IS NULL OR (secret IS NOT NULL AND published_until IS NULL))
);
CREATE INDEX token_key_by_age ON token_key (published_until);
