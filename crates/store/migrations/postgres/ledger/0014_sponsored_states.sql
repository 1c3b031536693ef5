-- A sponsored transaction is reserved (its row is written), sent (a node has it), landed
-- (a block has it, which can be taken back), final (charged) or released (given back).
DROP INDEX sponsored_open;

CREATE INDEX sponsored_open ON sponsored (chain_id, created_at)
    WHERE state NOT IN ('final', 'released');

-- What the user pays for it, 16 bytes, big-endian, in the smallest unit of STRK; none
-- where no user pays.
ALTER TABLE send ADD COLUMN paid BYTEA;

-- What users paid in all for what is final, and what that did cost: 16 bytes each.
CREATE TABLE paid_fees (
    chain_id BYTEA NOT NULL PRIMARY KEY,
    paid BYTEA NOT NULL,
    cost BYTEA NOT NULL
);
