-- The audit log as a chain: each link has the hash of a row and of the link
-- before it. Links are added after the rows' transactions, and never changed.
CREATE TABLE audit_link (
    position INTEGER NOT NULL PRIMARY KEY CHECK (position > 0),
    row_id TEXT NOT NULL UNIQUE REFERENCES audit_log (id),
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE TRIGGER audit_link_is_not_changed BEFORE UPDATE ON audit_link
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_link_is_not_shortened BEFORE DELETE ON audit_link
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

-- Rows that wait for their link.
CREATE TABLE audit_unlinked (
    row_id TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO audit_unlinked (row_id) SELECT id FROM audit_log;
CREATE TRIGGER audit_log_waits_for_its_link AFTER INSERT ON audit_log
BEGIN INSERT INTO audit_unlinked (row_id) VALUES (NEW.id); END;
