-- The stored blocks do not say what they did to market figures. The chain still
-- knows: indexing begins anew.
TRUNCATE block, token_reading, pool_checkpoint;

-- What a block did to market figures; none where it did nothing.
ALTER TABLE block ADD COLUMN figures BYTEA CHECK (length(figures) > 0);

-- Series of figures in pages, as of the block of figure_state.
CREATE TABLE figure_page (
    series BIGINT NOT NULL CHECK (series BETWEEN 0 AND 4294967295),
    resolution SMALLINT NOT NULL CHECK (resolution BETWEEN 0 AND 255),
    page BIGINT NOT NULL CHECK (page BETWEEN 0 AND 4294967295),
    bytes BYTEA NOT NULL,
    PRIMARY KEY (series, resolution, page)
);

-- One row: the block that the pages tell of, which cannot go before they do,
-- and what is known beside them.
CREATE TABLE figure_state (
    id SMALLINT PRIMARY KEY CHECK (id = 1),
    block_number BIGINT NOT NULL REFERENCES block (number),
    bytes BYTEA NOT NULL
);
