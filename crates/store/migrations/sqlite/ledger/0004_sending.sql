-- Accounts of Starknet that this service sends from. A row is an account's lock.
CREATE TABLE sending_account (
    chain_id BLOB NOT NULL,
    address BLOB NOT NULL,
    PRIMARY KEY (chain_id, address)
) STRICT;

-- What is sent has its row before it leaves.
CREATE TABLE send (
    chain_id BLOB NOT NULL,
    account BLOB NOT NULL,
    nonce INTEGER NOT NULL,
    -- 0 for what was to be sent; above it, what was sent in its place.
    attempt INTEGER NOT NULL,
    -- What it is for; none for what only takes another's place.
    purpose TEXT,
    hash BLOB NOT NULL,
    -- The transaction with its signature, to be given to a node again as it is.
    broadcast BLOB NOT NULL,
    -- The most that it can cost: 16 bytes, big-endian, as all fees here.
    max_fee BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    -- open, landed, reverted or lost.
    state TEXT NOT NULL,
    settled_at INTEGER,
    block_number INTEGER,
    fee BLOB,
    reason TEXT,
    PRIMARY KEY (chain_id, account, nonce, attempt)
) STRICT;

-- The same is not sent twice, unless it is certain that it never will land.
CREATE UNIQUE INDEX send_purpose ON send (chain_id, purpose) WHERE state <> 'lost';

CREATE INDEX send_open ON send (chain_id, account) WHERE state = 'open';
