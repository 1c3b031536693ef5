-- Contracts that are configured to be followed, and a digest of all that was
-- configured of each. One that is configured otherwise goes, with everything
-- that it led to.
CREATE TABLE followed_lead (
    contract BLOB PRIMARY KEY NOT NULL CHECK (length(contract) = 32),
    digest BLOB NOT NULL CHECK (length(digest) = 32)
) STRICT, WITHOUT ROWID;

-- Contracts that are followed: they come and go with the block that made them so.
CREATE TABLE followed_contract (
    address BLOB PRIMARY KEY NOT NULL CHECK (length(address) = 32),
    lead BLOB NOT NULL REFERENCES followed_lead (contract) ON DELETE CASCADE,
    from_block INTEGER NOT NULL CHECK (from_block >= 0),
    learned_block INTEGER NOT NULL REFERENCES block (number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX followed_contract_by_lead ON followed_contract (lead);
CREATE INDEX followed_contract_by_block ON followed_contract (learned_block);

-- Their events. One comes and goes with the block that it became known with,
-- which is a later one than its own where its contract was not followed before.
CREATE TABLE followed_event (
    contract BLOB NOT NULL REFERENCES followed_contract (address) ON DELETE CASCADE,
    block_number INTEGER NOT NULL CHECK (block_number >= 0),
    transaction_index INTEGER NOT NULL CHECK (transaction_index BETWEEN 0 AND 4294967295),
    event_index INTEGER NOT NULL CHECK (event_index BETWEEN 0 AND 4294967295),
    learned_block INTEGER NOT NULL REFERENCES block (number) ON DELETE CASCADE,
    time INTEGER NOT NULL,
    transaction_hash BLOB NOT NULL CHECK (length(transaction_hash) = 32),
    sender BLOB CHECK (length(sender) = 32),
    keys BLOB NOT NULL CHECK (length(keys) % 32 = 0),
    data BLOB NOT NULL CHECK (length(data) % 32 = 0),
    PRIMARY KEY (contract, block_number, transaction_index, event_index),
    CHECK (block_number <= learned_block)
) STRICT, WITHOUT ROWID;

CREATE INDEX followed_event_by_block ON followed_event (learned_block);

-- What transactions of followed senders came to; each lives and goes with its
-- block. A reason is there if the calls were undone.
CREATE TABLE sent_transaction (
    sender BLOB NOT NULL CHECK (length(sender) = 32),
    block_number INTEGER NOT NULL REFERENCES block (number) ON DELETE CASCADE,
    transaction_index INTEGER NOT NULL CHECK (transaction_index BETWEEN 0 AND 4294967295),
    time INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    fee BLOB NOT NULL CHECK (length(fee) = 16),
    fee_unit TEXT NOT NULL CHECK (fee_unit IN ('wei', 'fri')),
    revert_reason TEXT,
    PRIMARY KEY (sender, block_number, transaction_index)
) STRICT, WITHOUT ROWID;

CREATE INDEX sent_transaction_by_block ON sent_transaction (block_number);
