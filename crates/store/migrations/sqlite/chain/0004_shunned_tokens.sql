-- Tokens that do not do what they say when they are traded. What shows that are
-- simulations and not blocks, so that no block takes it along when it goes.
CREATE TABLE shunned_token (
    address BLOB PRIMARY KEY NOT NULL CHECK (length(address) = 32)
) STRICT, WITHOUT ROWID;
