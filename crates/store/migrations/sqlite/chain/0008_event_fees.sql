-- What the transactions of followed events cost; none of events that were stored
-- before.
ALTER TABLE followed_event ADD COLUMN fee BLOB CHECK (length(fee) = 16);
ALTER TABLE followed_event ADD COLUMN fee_unit TEXT CHECK (fee_unit IN ('wei', 'fri'));
