# Sourced by those who run Python with packages.

# Says which interpreter has the packages of a requirements file; each file has a
# folder of its own in the cache.
python_with() {
  local folder
  folder="${XDG_CACHE_HOME:-$HOME/.cache}/stoa-python-$(sha256sum "$1" | cut -c 1-16)"
  if [ ! -e "$folder/complete" ]; then
    python3 -m venv --clear "$folder" >&2
    "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$1" >&2
    touch "$folder/complete"
  fi
  echo "$folder/bin/python3"
}
