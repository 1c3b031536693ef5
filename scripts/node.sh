# Sourced by those who run JavaScript.

# Published clients ask for Node 22; older machines get it from the npm package `node`.
use_node_22() {
  local major
  major="$(node --version | sed 's/^v\([0-9]*\).*/\1/')"
  [ "$major" -ge 22 ] && return
  local folder="${XDG_CACHE_HOME:-$HOME/.cache}/stoa-node-22"
  [ -x "$folder/node_modules/node/bin/node" ] ||
    npm install --silent --no-save --prefix "$folder" node@22 >/dev/null
  export PATH="$folder/node_modules/node/bin:$PATH"
}
