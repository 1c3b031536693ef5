-- Events by whom they name: keys are elements of 32 bytes, and the second one is
-- the subject. Without it, a member's history would read all events of a pool.
CREATE INDEX followed_event_by_subject
    ON followed_event (contract, substr(keys, 33, 32), block_number, transaction_index, event_index);
