-- What traders say of leases that are over, once each, and what owners answer.
CREATE TABLE rating (
    id TEXT NOT NULL PRIMARY KEY,
    lease_id TEXT NOT NULL UNIQUE REFERENCES lease (id),
    validator_id TEXT NOT NULL REFERENCES validator (id),
    stars BIGINT NOT NULL CHECK (stars BETWEEN 1 AND 5),
    comment TEXT,
    created_at BIGINT NOT NULL,
    reply TEXT,
    replied_at BIGINT,
    CHECK ((reply IS NULL) = (replied_at IS NULL))
);
CREATE INDEX rating_by_validator ON rating (validator_id, id);

-- The sums of a validator's ratings, by which validators are sorted.
ALTER TABLE validator ADD COLUMN rating_stars BIGINT NOT NULL DEFAULT 0 CHECK (rating_stars >= 0);
ALTER TABLE validator ADD COLUMN rating_count BIGINT NOT NULL DEFAULT 0 CHECK (rating_count >= 0);
CREATE INDEX validator_by_rating
ON validator (COALESCE(rating_stars * 1000 / NULLIF(rating_count, 0), 0), id)
WHERE status = 'listed';

-- In how many of its leader slots a validator produced a block, by the epoch,
-- which is named by its first slot.
CREATE TABLE validator_blocks (
    validator_id TEXT NOT NULL REFERENCES validator (id),
    first_slot BIGINT NOT NULL CHECK (first_slot >= 0),
    slots BIGINT NOT NULL CHECK (slots >= 0),
    blocks BIGINT NOT NULL CHECK (blocks BETWEEN 0 AND slots),
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (validator_id, first_slot)
);
CREATE INDEX validator_blocks_by_age ON validator_blocks (seen_at);

-- Parts of a million; empty until they are known.
ALTER TABLE validator ADD COLUMN uptime BIGINT CHECK (uptime BETWEEN 0 AND 1000000);
ALTER TABLE validator ADD COLUMN effectiveness BIGINT CHECK (effectiveness BETWEEN 0 AND 1000000);
CREATE INDEX validator_by_uptime ON validator (COALESCE(uptime, -1), id) WHERE status = 'listed';
CREATE INDEX validator_by_effectiveness
ON validator (COALESCE(effectiveness, -1), id) WHERE status = 'listed';
