-- What the best route would have bought for a cycle of a recurring order, on the
-- pools as they were before the block that the cycle was executed in.
CREATE TABLE cycle_benchmark (
    block_number BIGINT NOT NULL REFERENCES block (number) ON DELETE CASCADE,
    contract BYTEA NOT NULL CHECK (length(contract) = 32),
    bought BYTEA NOT NULL CHECK (length(bought) = 32),
    PRIMARY KEY (block_number, contract)
);
