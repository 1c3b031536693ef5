// The whole life of a lease, as the script beside tells it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { story } from "./story.js";

test("a lease is booked, used, extended, completed and rated; another is revoked and paid back", async () => {
  const told = [];
  await story((line) => told.push(line));
  assert.equal(told.length, 11);
});
