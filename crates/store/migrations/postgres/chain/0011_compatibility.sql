-- The oldest version of the schema whose programs may still use it. A step that takes
-- something away which they need raises it.
CREATE TABLE compatibility (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    least BIGINT NOT NULL
);
INSERT INTO compatibility (one, least) VALUES (1, 11);
