// Typed data has the same hash here, in starknet.js 8.9 and in starknet.js 10:
// the vectors that `primitives` is tested with are what both of them say.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as starknet8 from "starknet";
import * as starknet10 from "starknet-10";
import { documents } from "./typed-data-documents.js";

const file = new URL("../crates/primitives/src/typed_data/vectors.jsonl", import.meta.url);
const lines = (await readFile(file, "utf8")).trim().split("\n");
const vectors = lines.map((line) => JSON.parse(line));

test("the vectors are of the generated documents", () => {
  assert.equal(vectors.length, 200);
  const asked = vectors.map(({ document, account }) => ({ document, account }));
  assert.deepEqual(asked, documents);
});

for (const [name, { typedData }] of [["8.9", starknet8], ["10", starknet10]]) {
  test(`starknet.js ${name} hashes each of them so`, () => {
    for (const { document, account, hash } of vectors) {
      assert.equal(typedData.getMessageHash(document, account), hash, JSON.stringify(document));
    }
  });
}
