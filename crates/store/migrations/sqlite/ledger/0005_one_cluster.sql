-- The cluster that everything here is about. Users, validators and payments of
-- one are worth something else, or nothing, on another.
CREATE TABLE cluster (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    genesis BLOB NOT NULL CHECK (length(genesis) = 32)
) STRICT;
-- A ledger that has followed wallets of one cluster is of that one.
INSERT INTO cluster (one, genesis)
SELECT DISTINCT 1, genesis FROM chain_cursor
WHERE (SELECT COUNT(DISTINCT genesis) FROM chain_cursor) = 1;

-- The key by which a transaction can be found that names the payment without its
-- memo. Made of the memo; empty in rows of earlier versions until they are filled.
ALTER TABLE payment ADD COLUMN reference BLOB CHECK (length(reference) = 32);
CREATE UNIQUE INDEX payment_by_reference ON payment (reference);
CREATE INDEX payment_by_expiry ON payment (expires_at, memo);
CREATE INDEX payment_without_reference ON payment (memo) WHERE reference IS NULL;

CREATE INDEX lease_unpaid_by_trader ON lease (trader_id) WHERE state = 'pending_payment';

-- Transactions that brought money and were not taken for a lease: once for each
-- payment that they name, by its memo or by its reference.
CREATE TABLE stray (
    signature BLOB NOT NULL CHECK (length(signature) = 64),
    memo TEXT NOT NULL REFERENCES payment (memo),
    reason TEXT NOT NULL
        CHECK (reason IN ('short', 'orphaned', 'doubled', 'unclear', 'unnamed')),
    slot INTEGER NOT NULL,
    payer BLOB NOT NULL CHECK (length(payer) = 32),
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (signature, memo)
) STRICT;
CREATE INDEX stray_by_memo ON stray (memo);
CREATE INDEX stray_by_slot ON stray (slot, signature, memo);

-- What a wallet gained by such a transaction: once, however many payments it
-- names. Somebody is to get it back.
CREATE TABLE stray_leg (
    signature BLOB NOT NULL CHECK (length(signature) = 64),
    wallet BLOB NOT NULL CHECK (length(wallet) = 32),
    gain INTEGER NOT NULL CHECK (gain > 0),
    PRIMARY KEY (signature, wallet)
) STRICT;

INSERT INTO stray (signature, memo, reason, slot, payer, seen_at)
SELECT signature, memo, reason, slot, payer, seen_at FROM stray_payment;
INSERT INTO stray_leg (signature, wallet, gain)
SELECT s.signature, p.payout_wallet, s.payout_gain
FROM stray_payment AS s JOIN payment AS p ON p.memo = s.memo WHERE s.payout_gain > 0
ON CONFLICT DO NOTHING;
INSERT INTO stray_leg (signature, wallet, gain)
SELECT s.signature, p.platform_wallet, s.platform_gain
FROM stray_payment AS s JOIN payment AS p ON p.memo = s.memo WHERE s.platform_gain > 0
ON CONFLICT DO NOTHING;
DROP TABLE stray_payment;

-- Transactions that a node lists and cannot show: they are asked for again.
CREATE TABLE parked_transaction (
    signature BLOB NOT NULL PRIMARY KEY CHECK (length(signature) = 64),
    since INTEGER NOT NULL,
    tries INTEGER NOT NULL CHECK (tries > 0),
    retry_at INTEGER NOT NULL
) STRICT;
CREATE INDEX parked_transaction_by_turn ON parked_transaction (retry_at, signature);
