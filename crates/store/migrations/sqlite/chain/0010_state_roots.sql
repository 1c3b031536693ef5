-- The root of the state after a block, which tells blocks apart whose hashes do not
-- cover what they did; none of blocks that were stored before.
ALTER TABLE block ADD COLUMN state_root BLOB CHECK (length(state_root) = 32);
