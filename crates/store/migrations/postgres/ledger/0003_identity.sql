-- By which the two halves of a store know that they belong together.
CREATE TABLE identity (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    -- Counts the times that it was tried whether the ledger can be written to.
    trials BIGINT NOT NULL
);
INSERT INTO identity (one, id, trials) VALUES (1, replace(gen_random_uuid()::text, '-', ''), 0);
