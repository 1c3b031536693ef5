-- Keys of lease tokens. All replicas sign with the same, and publish all of them.
CREATE TABLE token_key (
    kid TEXT NOT NULL PRIMARY KEY,
    -- Its two coordinates.
    point BLOB NOT NULL UNIQUE CHECK (length(point) = 64),
    -- None if the key is kept elsewhere.
    secret BLOB CHECK (length(secret) = 32),
    created_at INTEGER NOT NULL,
    -- Published before, so that nobody meets a token of a key that is new to them.
    signs_from INTEGER NOT NULL,
    -- None for as long as nothing has replaced it.
    published_until INTEGER,
    -- 1 for the one of those kept here that nothing has replaced: there is one.
    newest INTEGER UNIQUE CHECK (newest = 1),
    CHECK (newest IS NULL OR (secret IS NOT NULL AND published_until IS NULL))
) STRICT;
CREATE INDEX token_key_by_age ON token_key (published_until);
