-- Which transactions made a block's trades, and what they were worth; none of
-- blocks without trades, and of blocks that were stored before.
ALTER TABLE block ADD COLUMN trades BYTEA CHECK (length(trades) > 0);

-- Figures know the minutes in which a token was traded; this finds their blocks.
CREATE INDEX block_by_time ON block (time, number);
