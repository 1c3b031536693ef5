-- Where people want to be told of what happens.
CREATE TABLE webhook (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES lease_user (id),
    url TEXT NOT NULL,
    -- Words, separated by commas.
    events TEXT NOT NULL,
    description TEXT,
    -- What deliveries are signed with; after a replacement, the one before as well for a while.
    secret BYTEA NOT NULL CHECK (length(secret) = 32),
    previous_secret BYTEA CHECK (length(previous_secret) = 32),
    previous_until BIGINT,
    created_at BIGINT NOT NULL,
    -- Since when it has failed and taken nothing.
    failing_since BIGINT,
    disabled_at BIGINT,
    disabled_reason TEXT CHECK (disabled_reason IN ('asked', 'gone', 'failing', 'flooded')),
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhook_by_user ON webhook (user_id, id);

-- What is to be sent, or was.
CREATE TABLE webhook_delivery (
    id TEXT NOT NULL PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    -- The id that receivers know what they had before by.
    event_id TEXT NOT NULL,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts BIGINT NOT NULL CHECK (attempts >= 0),
    -- When it is tried next. Whoever tries it puts that off first.
    due_at BIGINT,
    tried_at BIGINT,
    answer BIGINT,
    problem TEXT CHECK (problem IN
        ('status', 'timeout', 'unreachable', 'address_refused', 'endpoint_disabled')),
    ended_at BIGINT,
    UNIQUE (webhook_id, event_id),
    CHECK ((status = 'pending') = (due_at IS NOT NULL)),
    CHECK ((status = 'pending') = (ended_at IS NULL))
);
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_by_due ON webhook_delivery (webhook_id, due_at, id)
    WHERE status = 'pending';
CREATE INDEX webhook_delivery_by_age ON webhook_delivery (ended_at) WHERE status <> 'pending';

-- How far the links of the audit log were made into deliveries.
CREATE TABLE webhook_cursor (
    only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
    position BIGINT NOT NULL CHECK (position >= 0)
);
INSERT INTO webhook_cursor (only_row, position)
SELECT 1, COALESCE(MAX(position), 0) FROM audit_link;

-- The end that a lease's people were told of when its last epoch began.
ALTER TABLE lease ADD COLUMN ending_told BIGINT;
CREATE INDEX lease_by_untold_end ON lease (epoch_end)
    WHERE state = 'active' AND (ending_told IS NULL OR ending_told <> epoch_end);
