// The built files that the program carries are those of this source, to the byte, and
// small enough.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const KEPT = new URL("../../crates/api/src/console/dist/", import.meta.url).pathname;
const FIRST_VIEW_BYTES = 40_000;
const ALL_BYTES = 150_000;

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stoa-console-"));
  const root = new URL("..", import.meta.url).pathname;
  await build({ root, logLevel: "warn", build: { outDir: folder } });
});
after(() => rm(folder, { recursive: true, force: true }));

async function files(root) {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, ""));
  return Promise.all(names.sort().map(async (name) => [name, await readFile(join(root, name))]));
}

const packed = (bytes) => gzipSync(bytes, { level: 9 }).length;
const isCode = (name) => /\.(js|css)$/.test(name);

test("a build of the source gives the kept files byte by byte", async () => {
  const [made, kept] = [await files(folder), await files(KEPT)];
  assert.deepEqual(made.map(([name]) => name), kept.map(([name]) => name), "run `npm run build` in console/ and commit what it makes");
  for (const [at, [name, bytes]] of made.entries()) assert.ok(bytes.equals(kept[at][1]), `${name} differs: run \`npm run build\` in console/`);
});

test("the first view and the whole stay small", async () => {
  const kept = await files(KEPT);
  const index = kept.find(([name]) => name === "index.html")[1].toString();
  const sum = (chosen) => chosen.reduce((bytes, [, content]) => bytes + packed(content), 0);
  const all = kept.filter(([name]) => isCode(name));
  const first = sum(all.filter(([name]) => index.includes(name)));
  assert.ok(first > 0 && first <= FIRST_VIEW_BYTES, `the first view has ${first} bytes of gzip`);
  assert.ok(sum(all) <= ALL_BYTES, `all scripts and styles have ${sum(all)} bytes of gzip`);
});

test("no page loads anything from elsewhere", async () => {
  const code = (await files(KEPT)).filter(([name]) => isCode(name) || name.endsWith(".html"));
  for (const [name, bytes] of code) {
    const addresses = bytes.toString().match(/https?:\/\/[^"'`\s)]+/g) ?? [];
    const others = addresses.filter((address) => !/^https?:\/\/(www\.w3\.org|www\.tradingview\.com|www\.apache\.org)/.test(address));
    assert.deepEqual(others, [], name);
  }
});
