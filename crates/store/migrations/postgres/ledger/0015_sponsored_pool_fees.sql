-- What a private pool takes for a transaction, where its sponsor pays that too.
ALTER TABLE sponsored ADD COLUMN pool_fee_billions BIGINT NOT NULL DEFAULT 0;

ALTER TABLE sponsored ADD COLUMN pool_fee_rest BIGINT NOT NULL DEFAULT 0;
