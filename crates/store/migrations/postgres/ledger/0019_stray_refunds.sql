-- What came and paid for nothing can be owed as well: by the transaction that
-- brought it.
ALTER TABLE payment ADD COLUMN of_signature BYTEA CHECK (length(of_signature) = 64);
DROP INDEX payment_owed;
-- Nobody owes the same twice: of what was paid for, nor of what a wallet got.
CREATE UNIQUE INDEX payment_owed ON payment (of_memo, debtor) WHERE of_signature IS NULL;
CREATE INDEX payment_by_stray ON payment (of_signature) WHERE of_signature IS NOT NULL;
ALTER TABLE stray_leg ADD COLUMN refund_memo TEXT REFERENCES payment (memo);
CREATE UNIQUE INDEX stray_leg_by_refund ON stray_leg (refund_memo) WHERE refund_memo IS NOT NULL;
