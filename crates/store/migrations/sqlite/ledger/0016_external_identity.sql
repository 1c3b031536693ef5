-- Users whom an OpenID Connect issuer knows: by the issuer and what it calls
-- them, never by an e-mail address.
CREATE TABLE external_identity (
    issuer TEXT NOT NULL CHECK (length(issuer) BETWEEN 1 AND 2048),
    subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    user_id TEXT NOT NULL REFERENCES lease_user (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT;
