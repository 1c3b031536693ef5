-- A lease has payments in the plural: of its booking, of extensions, and those
-- that give something back.

-- The public id of an extension or a refund.
ALTER TABLE payment ADD COLUMN id TEXT;
-- The epochs that a booking or an extension is for, and the price of each.
ALTER TABLE payment ADD COLUMN epoch_start INTEGER CHECK (epoch_start >= 0);
ALTER TABLE payment ADD COLUMN epoch_end INTEGER CHECK (epoch_end <= 2147483647);
ALTER TABLE payment ADD COLUMN price INTEGER CHECK (price > 0);
-- The payment of which a refund gives something back, and who owes it.
ALTER TABLE payment ADD COLUMN of_memo TEXT REFERENCES payment (memo);
ALTER TABLE payment ADD COLUMN debtor TEXT CHECK (debtor IN ('validator', 'platform'));
UPDATE payment SET
    epoch_start = (SELECT l.epoch_start FROM lease AS l WHERE l.id = payment.lease_id),
    epoch_end = (SELECT l.epoch_end FROM lease AS l WHERE l.id = payment.lease_id),
    price = (SELECT l.price FROM lease AS l WHERE l.id = payment.lease_id)
WHERE kind = 'booking';
CREATE UNIQUE INDEX payment_by_id ON payment (id);
-- One extension of a lease at a time.
CREATE UNIQUE INDEX payment_open_extension ON payment (lease_id)
WHERE kind = 'extension' AND status = 'open';
-- Nobody owes the same twice.
CREATE UNIQUE INDEX payment_owed ON payment (of_memo, debtor);
CREATE INDEX refund_by_id ON payment (id) WHERE kind = 'refund';

-- The first epoch that a revoked lease gave back: those before stay sold.
ALTER TABLE lease ADD COLUMN kept_until INTEGER;
CREATE INDEX lease_by_revocation ON lease (ended_at, id) WHERE state = 'revoked';
