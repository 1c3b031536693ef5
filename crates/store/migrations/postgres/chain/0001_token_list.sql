-- One row: the network that this store belongs to.
CREATE TABLE chain_identity (
    id SMALLINT PRIMARY KEY CHECK (id = 1),
    chain_id BYTEA NOT NULL CHECK (length(chain_id) = 32)
);

-- The blocks of the current fork, without gaps. The highest is the cursor.
CREATE TABLE block (
    number BIGINT PRIMARY KEY CHECK (number >= 0),
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    parent_hash BYTEA NOT NULL CHECK (length(parent_hash) = 32),
    time BIGINT NOT NULL
);

-- What was read of tokens; a reading lives and goes with its block.
CREATE TABLE token_reading (
    address BYTEA NOT NULL CHECK (length(address) = 32),
    block_number BIGINT NOT NULL REFERENCES block (number) ON DELETE CASCADE,
    outcome TEXT NOT NULL
        CHECK (outcome IN ('readable', 'unanswered', 'malformed', 'invisible', 'decimals')),
    name TEXT,
    symbol TEXT,
    decimals SMALLINT CHECK (decimals BETWEEN 0 AND 255),
    PRIMARY KEY (address, block_number),
    CHECK (
        CASE outcome
            WHEN 'readable' THEN name IS NOT NULL AND symbol IS NOT NULL AND decimals IS NOT NULL
            ELSE name IS NULL AND symbol IS NULL AND decimals IS NULL
        END
    )
);

CREATE INDEX token_reading_by_block ON token_reading (block_number);
