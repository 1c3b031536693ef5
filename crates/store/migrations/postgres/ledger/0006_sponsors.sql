-- Those who pay fees of others. The key itself is not kept, only its digest.
CREATE TABLE sponsor (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    digest BYTEA NOT NULL UNIQUE,
    -- What may still be reserved: 16 bytes, big-endian, the smallest unit of STRK.
    credits BYTEA NOT NULL,
    -- The most for one user in a day, if there is one.
    user_daily BYTEA,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT
);

-- Which calls they pay for (allow, deny), and in which private pools (pool).
CREATE TABLE sponsor_rule (
    sponsor TEXT NOT NULL REFERENCES sponsor (id),
    kind TEXT NOT NULL,
    contract BYTEA NOT NULL,
    -- Empty for every function.
    selector BYTEA NOT NULL,
    PRIMARY KEY (sponsor, kind, contract, selector)
);

-- Each transaction that a sponsor pays for. It is written together with what is
-- sent, and charged once. Amounts are two numbers, billions and the rest, so that
-- they can be added up.
CREATE TABLE sponsored (
    chain_id BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    sponsor TEXT NOT NULL REFERENCES sponsor (id),
    user_address BYTEA NOT NULL,
    -- reserved, final or released.
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    reserved_billions BIGINT NOT NULL,
    reserved_rest BIGINT NOT NULL,
    fee_billions BIGINT,
    fee_rest BIGINT,
    -- 0 or 1.
    reverted BIGINT,
    block_number BIGINT,
    block_time BIGINT,
    PRIMARY KEY (chain_id, hash)
);

CREATE INDEX sponsored_open ON sponsored (chain_id, created_at) WHERE state = 'reserved';

CREATE INDEX sponsored_activity ON sponsored (sponsor, block_time) WHERE state = 'final';

CREATE INDEX sponsored_user ON sponsored (sponsor, user_address, created_at);

CREATE UNIQUE INDEX send_hash ON send (chain_id, hash);
