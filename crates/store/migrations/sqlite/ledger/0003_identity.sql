-- By which the two halves of a store know that they belong together.
CREATE TABLE identity (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    -- Counts the times that it was tried whether the ledger can be written to.
    trials INTEGER NOT NULL
) STRICT;
INSERT INTO identity (one, id, trials) VALUES (1, lower(hex(randomblob(16))), 0);
