-- By which the two halves of a store know that they belong together: the
-- ledger's id.
CREATE TABLE identity (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL
);
