-- What waits for too long is sent again for more, with the same nonce. Of those that
-- do the same, the newest speaks for their purpose, and in the end the one that landed;
-- the others are superseded (0 or 1).
ALTER TABLE send ADD COLUMN superseded BIGINT NOT NULL DEFAULT 0;

-- The newest block when it was written.
ALTER TABLE send ADD COLUMN head BIGINT NOT NULL DEFAULT 0;

DROP INDEX send_purpose;

CREATE UNIQUE INDEX send_purpose ON send (chain_id, purpose)
    WHERE state <> 'lost' AND superseded = 0;

CREATE INDEX send_attempts ON send (chain_id, purpose);
