-- One row: the venues whose pools the stored blocks tell of.
CREATE TABLE venue_list (
    id SMALLINT PRIMARY KEY CHECK (id = 1),
    digest BYTEA NOT NULL CHECK (length(digest) = 32)
);

-- What happened to pools; it lives and goes with its block. Blocks in which
-- nothing did have no row.
CREATE TABLE pool_changes (
    block_number BIGINT PRIMARY KEY REFERENCES block (number) ON DELETE CASCADE,
    changes BYTEA NOT NULL CHECK (length(changes) > 0)
);

-- All pools after a block, so that a start need not follow every change again.
CREATE TABLE pool_checkpoint (
    block_number BIGINT PRIMARY KEY REFERENCES block (number) ON DELETE CASCADE,
    pools BYTEA NOT NULL CHECK (length(pools) > 0)
);
