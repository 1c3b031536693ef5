-- Work that one process does at a time: who does it, and until when unless it says
-- so again. Every change of hands has a larger number, which what is written for
-- this work checks.
CREATE TABLE duty (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    number BIGINT NOT NULL CHECK (number > 0),
    held_until BIGINT NOT NULL
);
