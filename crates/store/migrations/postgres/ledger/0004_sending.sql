-- Accounts of Starknet that this service sends from. A row is an account's lock.
CREATE TABLE sending_account (
    chain_id BYTEA NOT NULL,
    address BYTEA NOT NULL,
    PRIMARY KEY (chain_id, address)
);

-- What is sent has its row before it leaves.
CREATE TABLE send (
    chain_id BYTEA NOT NULL,
    account BYTEA NOT NULL,
    nonce BIGINT NOT NULL,
    -- 0 for what was to be sent; above it, what was sent in its place.
    attempt BIGINT NOT NULL,
    -- What it is for; none for what only takes another's place.
    purpose TEXT,
    hash BYTEA NOT NULL,
    -- The transaction with its signature, to be given to a node again as it is.
    broadcast BYTEA NOT NULL,
    -- The most that it can cost: 16 bytes, big-endian, as all fees here.
    max_fee BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    -- open, landed, reverted or lost.
    state TEXT NOT NULL,
    settled_at BIGINT,
    block_number BIGINT,
    fee BYTEA,
    reason TEXT,
    PRIMARY KEY (chain_id, account, nonce, attempt)
);

-- The same is not sent twice, unless it is certain that it never will land.
CREATE UNIQUE INDEX send_purpose ON send (chain_id, purpose) WHERE state <> 'lost';

CREATE INDEX send_open ON send (chain_id, account) WHERE state = 'open';
