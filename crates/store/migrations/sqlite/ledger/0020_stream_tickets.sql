-- What opens a stream once, for those who cannot send credentials with it.
CREATE TABLE stream_ticket (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    user_id TEXT NOT NULL REFERENCES lease_user (id),
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX stream_ticket_by_end ON stream_ticket (expires_at);
