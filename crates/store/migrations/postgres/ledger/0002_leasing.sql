-- The lease market. Public ids are texts, keys and digests are bytes, amounts
-- are lamports, times are microseconds.

CREATE TABLE lease_user (
    id TEXT NOT NULL PRIMARY KEY,
    -- The wallet that signs in.
    address BYTEA UNIQUE CHECK (length(address) = 32),
    display_name TEXT,
    email TEXT,
    trader BIGINT NOT NULL CHECK (trader IN (0, 1)),
    validator BIGINT NOT NULL CHECK (validator IN (0, 1)),
    staff BIGINT NOT NULL CHECK (staff IN (0, 1)),
    created_at BIGINT NOT NULL
);

-- Texts that were given to be signed; gone once they are.
CREATE TABLE sign_in_challenge (
    nonce TEXT NOT NULL PRIMARY KEY,
    address BYTEA NOT NULL CHECK (length(address) = 32),
    message TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_challenge_by_age ON sign_in_challenge (expires_at);

CREATE TABLE session (
    id TEXT NOT NULL PRIMARY KEY,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    address BYTEA NOT NULL CHECK (length(address) = 32),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX session_by_age ON session (expires_at);

CREATE TABLE bearer_token (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES lease_user (id),
    name TEXT NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX bearer_token_by_user ON bearer_token (user_id, id);

CREATE TABLE validator (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES lease_user (id),
    identity BYTEA NOT NULL UNIQUE CHECK (length(identity) = 32),
    payout_wallet BYTEA NOT NULL CHECK (length(payout_wallet) = 32),
    name TEXT,
    endpoint TEXT,
    price BIGINT NOT NULL CHECK (price > 0),
    shared_price BIGINT CHECK (shared_price > 0),
    shared_seats BIGINT CHECK (shared_seats BETWEEN 1 AND 4294967295),
    tier TEXT NOT NULL CHECK (tier IN ('economy', 'standard', 'performance')),
    region TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('listed', 'paused', 'stopped')),
    -- What the cluster said last.
    vote_account BYTEA CHECK (length(vote_account) = 32),
    stake BIGINT NOT NULL CHECK (stake >= 0),
    stake_epoch BIGINT NOT NULL CHECK (stake_epoch >= 0),
    delinquent BIGINT NOT NULL CHECK (delinquent IN (0, 1)),
    created_at BIGINT NOT NULL,
    CHECK ((shared_price IS NULL) = (shared_seats IS NULL))
);
CREATE INDEX validator_by_price ON validator (price, id) WHERE status = 'listed';
CREATE INDEX validator_by_shared_price ON validator (shared_price, id) WHERE status = 'listed';
CREATE INDEX validator_by_stake ON validator (stake, id) WHERE status = 'listed';

-- Nonces of challenges, until no challenge with them can be timely.
CREATE TABLE validator_nonce (
    identity BYTEA NOT NULL CHECK (length(identity) = 32),
    nonce TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (identity, nonce)
);
CREATE INDEX validator_nonce_by_age ON validator_nonce (expires_at);

CREATE TABLE onboarding_session (
    digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    user_id TEXT NOT NULL REFERENCES lease_user (id),
    expires_at BIGINT NOT NULL,
    -- Who registered with it. It is used once.
    validator_id TEXT REFERENCES validator (id)
);
CREATE INDEX onboarding_session_by_age ON onboarding_session (expires_at);

CREATE TABLE lease (
    id TEXT NOT NULL PRIMARY KEY,
    validator_id TEXT NOT NULL REFERENCES validator (id),
    trader_id TEXT NOT NULL REFERENCES lease_user (id),
    mode TEXT NOT NULL CHECK (mode IN ('exclusive', 'shared')),
    state TEXT NOT NULL
        CHECK (state IN ('pending_payment', 'active', 'revoked', 'completed', 'expired')),
    epoch_start BIGINT NOT NULL CHECK (epoch_start >= 0),
    -- The epoch after the last.
    epoch_end BIGINT NOT NULL CHECK (epoch_end <= 2147483647),
    price BIGINT NOT NULL CHECK (price > 0),
    total BIGINT NOT NULL CHECK (total > 0),
    created_at BIGINT NOT NULL,
    activated_at BIGINT,
    ended_at BIGINT,
    end_reason TEXT CHECK (end_reason IN ('unpaid', 'cancelled', 'completed', 'revoked')),
    CHECK (epoch_end > epoch_start AND epoch_end - epoch_start <= 30),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
    CHECK ((ended_at IS NULL) = (state IN ('pending_payment', 'active')))
);
CREATE INDEX lease_by_trader ON lease (trader_id, id);
CREATE INDEX lease_by_validator ON lease (validator_id, id);
CREATE INDEX lease_by_end ON lease (epoch_end) WHERE state = 'active';

-- Who has which epoch: one lease all of it, or some leases a seat each.
CREATE TABLE validator_epoch (
    validator_id TEXT NOT NULL REFERENCES validator (id),
    epoch BIGINT NOT NULL,
    exclusive_lease TEXT REFERENCES lease (id),
    shared_used BIGINT NOT NULL CHECK (shared_used >= 0),
    PRIMARY KEY (validator_id, epoch),
    CHECK (exclusive_lease IS NULL OR shared_used = 0)
);

CREATE TABLE payment (
    memo TEXT NOT NULL PRIMARY KEY,
    lease_id TEXT NOT NULL REFERENCES lease (id),
    kind TEXT NOT NULL CHECK (kind IN ('booking', 'extension', 'refund')),
    status TEXT NOT NULL CHECK (status IN ('open', 'settled', 'expired', 'void', 'orphaned')),
    share BIGINT NOT NULL CHECK (share > 0),
    fee BIGINT NOT NULL CHECK (fee >= 0),
    -- As they were when it was asked for.
    payout_wallet BYTEA NOT NULL CHECK (length(payout_wallet) = 32),
    platform_wallet BYTEA NOT NULL CHECK (length(platform_wallet) = 32),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The transaction that was taken for it.
    signature BYTEA UNIQUE CHECK (length(signature) = 64),
    slot BIGINT,
    payer BYTEA CHECK (length(payer) = 32),
    surplus BIGINT CHECK (surplus >= 0),
    settled_at BIGINT,
    CHECK ((status IN ('settled', 'orphaned')) = (signature IS NOT NULL)),
    CHECK ((signature IS NULL) = (settled_at IS NULL)),
    CHECK ((signature IS NULL) = (payer IS NULL))
);
CREATE INDEX payment_by_lease ON payment (lease_id);
CREATE INDEX payment_by_age ON payment (expires_at, memo) WHERE status = 'open';

-- Money that came and was not taken for a lease: somebody is to get it back.
CREATE TABLE stray_payment (
    signature BYTEA NOT NULL CHECK (length(signature) = 64),
    memo TEXT NOT NULL REFERENCES payment (memo),
    reason TEXT NOT NULL CHECK (reason IN ('short', 'orphaned', 'doubled', 'unclear')),
    slot BIGINT NOT NULL,
    payer BYTEA NOT NULL CHECK (length(payer) = 32),
    -- What the wallets gained.
    payout_gain BIGINT NOT NULL CHECK (payout_gain >= 0),
    platform_gain BIGINT NOT NULL CHECK (platform_gain >= 0),
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (signature, memo)
);

CREATE TABLE idempotency_key (
    user_id TEXT NOT NULL REFERENCES lease_user (id),
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    key TEXT NOT NULL,
    body BYTEA NOT NULL CHECK (length(body) = 32),
    -- The answer, which is written in the transaction that takes the key.
    status BIGINT CHECK (status IN (200, 201)),
    content_type TEXT,
    answer BYTEA,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, method, path, key),
    CHECK ((status IS NULL) = (answer IS NULL) AND (status IS NULL) = (content_type IS NULL))
);
CREATE INDEX idempotency_key_by_age ON idempotency_key (expires_at);

-- What happened. Rows are added and never changed.
CREATE TABLE audit_log (
    id TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('user', 'operator', 'system')),
    actor_id TEXT,
    action TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX audit_log_by_subject ON audit_log (subject_kind, subject_id, id);
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, id);
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER audit_log_is_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- How far a wallet's history was looked at, on which cluster.
CREATE TABLE chain_cursor (
    wallet BYTEA NOT NULL CHECK (length(wallet) = 32),
    genesis BYTEA NOT NULL CHECK (length(genesis) = 32),
    signature BYTEA NOT NULL CHECK (length(signature) = 64),
    slot BIGINT NOT NULL CHECK (slot >= 0),
    PRIMARY KEY (wallet, genesis)
);

-- Secrets that replicas share.
CREATE TABLE market_secret (
    name TEXT NOT NULL PRIMARY KEY,
    secret BYTEA NOT NULL CHECK (length(secret) = 32)
);
