-- Two roles, so that what serves requests cannot change tables. As a superuser, in the
-- database of the store:
--
--   psql -d stoa -v password="'secret'" -v owner_password="'other'" -f roles.sql
--   stoa migrate --store postgres://stoa_owner:other@db/stoa
--   stoa serve   --store postgres://stoa:secret@db/stoa
--
-- `stoa serve` finds nothing to migrate then. After an upgrade, migrate first.
CREATE ROLE stoa_owner LOGIN PASSWORD :owner_password;
CREATE ROLE stoa LOGIN PASSWORD :password;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA chain AUTHORIZATION stoa_owner;
CREATE SCHEMA ledger AUTHORIZATION stoa_owner;
GRANT USAGE ON SCHEMA chain, ledger TO stoa;

ALTER DEFAULT PRIVILEGES FOR ROLE stoa_owner IN SCHEMA chain, ledger
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO stoa;
ALTER DEFAULT PRIVILEGES FOR ROLE stoa_owner IN SCHEMA chain, ledger
  GRANT USAGE, SELECT ON SEQUENCES TO stoa;
