-- One row: the venues whose pools the stored blocks tell of.
CREATE TABLE venue_list (
    id SMALLINT PRIMARY KEY CHECK (id = 1),
    digest BYTEA NOT NULL CHECK (length(digest) = 32)
);

-- What happened to pools in a block; none where nothing did.
ALTER TABLE block ADD COLUMN pools BYTEA CHECK (length(pools) > 0);

-- All pools after a block, so that a start need not follow every change again.
CREATE TABLE pool_checkpoint (
    block_number BIGINT PRIMARY KEY REFERENCES block (number) ON DELETE CASCADE,
    pools BYTEA NOT NULL CHECK (length(pools) > 0)
);
