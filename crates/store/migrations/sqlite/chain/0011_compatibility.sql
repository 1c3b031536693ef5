-- The oldest version of the schema whose programs may still use it. A step that takes
-- something away which they need raises it.
CREATE TABLE compatibility (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    least INTEGER NOT NULL
) STRICT;
INSERT INTO compatibility (one, least) VALUES (1, 11);
