-- The audit log as a chain: each link has the hash of a row and of the link
-- before it. Links are added after the rows' transactions, and never changed.
CREATE TABLE audit_link (
    position BIGINT NOT NULL PRIMARY KEY CHECK (position > 0),
    row_id TEXT NOT NULL UNIQUE REFERENCES audit_log (id),
    hash BYTEA NOT NULL CHECK (length(hash) = 32)
);
CREATE TRIGGER audit_link_is_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_link
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Rows that wait for their link.
CREATE TABLE audit_unlinked (
    row_id TEXT NOT NULL PRIMARY KEY
);
INSERT INTO audit_unlinked (row_id) SELECT id FROM audit_log;
CREATE FUNCTION await_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_unlinked (row_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_log_waits_for_its_link AFTER INSERT ON audit_log
FOR EACH ROW EXECUTE FUNCTION await_link();
