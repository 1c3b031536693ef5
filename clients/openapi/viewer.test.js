// The viewer at /docs is the package's, byte by byte, and its notices are kept.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";

const kept = (name) => readFileSync(new URL(`../../crates/api/src/docs/viewer/${name}`, import.meta.url));
const packaged = (name) => readFileSync(new URL(`node_modules/swagger-ui-dist/${name}`, import.meta.url));

for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
  test(`${name} is the package's`, () => {
    assert.ok(gunzipSync(kept(`${name}.gz`)).equals(packaged(name)), "pack it again: CONTRIBUTING.md says how");
  });
}

test("the notices of the package are kept", () => {
  const notices = kept("licenses.txt").toString();
  for (const name of ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"]) {
    assert.ok(notices.includes(packaged(name).toString()), name);
  }
});
