-- Keys of leases: each lease has at most one, which its trader may replace.
CREATE TABLE lease_key (
    lease_id TEXT NOT NULL PRIMARY KEY REFERENCES lease (id),
    -- The public part.
    id TEXT NOT NULL UNIQUE,
    -- What the key hashes to, by Argon2id with this salt, memory and passes.
    salt BLOB NOT NULL CHECK (length(salt) = 16),
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    memory_kib INTEGER NOT NULL CHECK (memory_kib > 0),
    passes INTEGER NOT NULL CHECK (passes > 0),
    -- Rises with every new key.
    version INTEGER NOT NULL CHECK (version > 0),
    created_at INTEGER NOT NULL
) STRICT;
