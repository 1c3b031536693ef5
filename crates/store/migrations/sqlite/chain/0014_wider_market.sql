-- What an aggregator said of tokens, which one process asks: from which block on it is
-- shown, so that all processes show the same at a block, and until when something of
-- it counts.
CREATE TABLE wider_market (
    from_block INTEGER NOT NULL PRIMARY KEY CHECK (from_block >= 0),
    known_until INTEGER NOT NULL,
    answers BLOB NOT NULL
) STRICT;
