# A private PostgreSQL in a folder, for `./test` and `./bench`, which source this.

# Where its programs are, or nothing. Debian keeps them off the path.
postgres_programs() {
  if command -v initdb >/dev/null 2>&1; then dirname "$(command -v initdb)"; return; fi
  ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1
}

# PostgreSQL refuses to run as root.
as_postgres() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

# Starts one in a folder, with further settings, and says where it is in
# STOA_TEST_POSTGRES.
start_postgres() {
  local folder="$1" programs settings=()
  shift
  programs="$(postgres_programs)"
  for setting in "$@"; do settings+=(-c "$setting"); done
  mkdir "$folder/postgres"
  if [ "$(id -u)" -eq 0 ]; then chmod 755 "$folder"; chown postgres "$folder/postgres"; fi
  (
    cd "$folder/postgres"
    as_postgres "$programs/initdb" -D "$folder/postgres/data" -U postgres -A trust -E UTF8 --no-sync
    as_postgres "$programs/pg_ctl" -D "$folder/postgres/data" -l "$folder/postgres/log" -w start \
      -o "-k $folder/postgres -c listen_addresses='' ${settings[*]}"
  ) >"$folder/postgres.log" 2>&1 || { cat "$folder/postgres.log" >&2; return 1; }
  export STOA_TEST_POSTGRES="postgres://postgres@localhost/postgres?host=$folder/postgres"
}

# Stops the one in a folder, if there is one.
stop_postgres() {
  local data="$1/postgres/data"
  [ -d "$data" ] || return 0
  (cd "$1/postgres" && as_postgres "$(postgres_programs)/pg_ctl" -D "$data" -m immediate stop) >/dev/null 2>&1 || true
}
