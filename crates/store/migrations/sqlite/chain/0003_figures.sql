-- The stored blocks do not say what they did to market figures. The chain still
-- knows: indexing begins anew. What hangs on blocks goes first, by the whole
-- table, which is quicker than row by row.
DELETE FROM token_reading;
DELETE FROM pool_checkpoint;
DELETE FROM block;

-- What a block did to market figures; none where it did nothing.
ALTER TABLE block ADD COLUMN figures BLOB CHECK (length(figures) > 0);

-- Series of figures in pages, as of the block of figure_state. Pages are larger
-- than SQLite's own: WITHOUT ROWID would put them into the inner nodes of the
-- tree, so that a node holds three or four keys and every search goes deep.
CREATE TABLE figure_page (
    series INTEGER NOT NULL CHECK (series BETWEEN 0 AND 4294967295),
    resolution INTEGER NOT NULL CHECK (resolution BETWEEN 0 AND 255),
    page INTEGER NOT NULL CHECK (page BETWEEN 0 AND 4294967295),
    bytes BLOB NOT NULL,
    PRIMARY KEY (series, resolution, page)
) STRICT;

-- One row: the block that the pages tell of, which cannot go before they do,
-- and what is known beside them.
CREATE TABLE figure_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    block_number INTEGER NOT NULL REFERENCES block (number),
    bytes BLOB NOT NULL
) STRICT;
