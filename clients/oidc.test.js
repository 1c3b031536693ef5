// People who sign in at an OpenID Connect provider (the certified npm package
// oidc-provider) by the authorization code flow with PKCE, as a browser does, and
// use the lease market with the access token that it signs for them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Provider } from "oidc-provider";
import { startStoaWith } from "./stoa.js";

const AUDIENCE = "https://market.example";
const CALLBACK = "https://app.example/callback";
const STAFF = "market-staff";

// The test's people, by the name that they sign in with.
const GROUPS = { ada: ["people"], eve: ["people", STAFF] };

let issuer;
let stoa;
// What the provider signs with.
let algorithm = "ES256";

const jwk = (kid, alg, type, options) => {
  const { privateKey } = generateKeyPairSync(type, options);
  return { ...privateKey.export({ format: "jwk" }), kid, alg, use: "sig" };
};

const KEYS = {
  ES256: jwk("curve", "ES256", "ec", { namedCurve: "P-256" }),
  RS256: jwk("rsa", "RS256", "rsa", { modulusLength: 2048 }),
  PS256: jwk("pss", "PS256", "rsa", { modulusLength: 2048 }),
  EdDSA: jwk("edwards", "EdDSA", "ed25519"),
};

async function startProvider() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const name = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(name, {
    jwks: { keys: Object.values(KEYS) },
    clients: [
      {
        client_id: "app",
        token_endpoint_auth_method: "none",
        redirect_uris: [CALLBACK],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
      {
        client_id: "robot",
        client_secret: "secret",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    cookies: { keys: ["a key of the test's own"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_, token) => ({ groups: GROUPS[token.accountId] ?? [] }),
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: "",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: algorithm } },
        }),
      },
    },
  });
  server.on("request", provider.callback());
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { name, close };
}

// Follows redirects and sends forms as a browser does, until the application's
// own address is reached, and keeps cookies.
async function browse(url, person) {
  const cookies = new Map();
  let request = { url, method: "GET" };
  for (let step = 0; step < 20; step += 1) {
    const headers = { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    if (request.body) headers["content-type"] = "application/x-www-form-urlencoded";
    const { method, body } = request;
    const answer = await fetch(request.url, { method, headers, body, redirect: "manual" });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, key, value] = cookie.match(/^([^=]+)=([^;]*)/);
      if (value) cookies.set(key, value);
      else cookies.delete(key);
    }
    if (answer.status >= 300 && answer.status < 400) {
      const next = new URL(answer.headers.get("location"), request.url);
      if (next.href.startsWith(CALLBACK)) return next.searchParams;
      request = { url: next, method: "GET" };
      continue;
    }
    const page = await answer.text();
    assert.equal(answer.status, 200, page);
    const action = page.match(/<form[^>]*action="([^"]+)"/)[1];
    const prompt = page.match(/name="prompt" value="([^"]+)"/)[1];
    const form = new URLSearchParams({ prompt, login: person, password: "any" });
    request = { url: new URL(action, request.url), method: "POST", body: form };
  }
  throw new Error("the provider did not come to an end");
}

// The access token of somebody who signs in.
async function signIn(person, resource = AUDIENCE) {
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(8).toString("hex");
  const start = new URL("/auth", issuer.name);
  start.search = new URLSearchParams({
    client_id: "app",
    response_type: "code",
    redirect_uri: CALLBACK,
    scope: "openid",
    resource,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const back = await browse(start, person);
  assert.equal(back.get("state"), state);
  assert.equal(back.get("iss"), issuer.name);
  return token({
    grant_type: "authorization_code",
    client_id: "app",
    redirect_uri: CALLBACK,
    code: back.get("code"),
    code_verifier: verifier,
    resource,
  });
}

async function token(form) {
  const body = new URLSearchParams(form);
  const answer = await fetch(new URL("/token", issuer.name), { method: "POST", body });
  const given = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(given));
  return given.access_token;
}

async function ask(method, path, bearer, body) {
  const headers = { authorization: `Bearer ${bearer}` };
  if (body) headers["content-type"] = "application/json";
  const answer = await fetch(stoa.api + path, { method, headers, body: body && JSON.stringify(body) });
  const content = answer.status === 204 ? undefined : await answer.json();
  return { status: answer.status, slug: content?.type?.split("/").pop(), data: content?.data };
}

const part = (jwt, number) => JSON.parse(Buffer.from(jwt.split(".")[number], "base64url"));

before(async () => {
  issuer = await startProvider();
  const settings = {
    STOA__OIDC__ISSUER: issuer.name,
    STOA__OIDC__AUDIENCE: AUDIENCE,
    STOA__OIDC__STAFF_GROUP: STAFF,
  };
  stoa = await startStoaWith(settings, "--no-sim-people");
});
after(async () => {
  assert.equal(await stoa?.stop(), 0);
  await issuer?.close();
});

test("whoever signs in at the provider becomes a user and stays the same one", async () => {
  const first = await signIn("ada");
  assert.equal(part(first, 1).sub, "ada");
  const missing = await ask("GET", "/v1/me", first);
  assert.deepEqual([missing.status, missing.slug], [401, "user-not-provisioned"]);
  const made = await ask("POST", "/v1/users", first, { display_name: "Ada" });
  assert.equal(made.status, 201);
  assert.deepEqual(made.data.roles, ["trader", "validator"]);
  const again = await signIn("ada");
  assert.notEqual(again, first);
  const me = await ask("GET", "/v1/me", again);
  assert.deepEqual(me.data, made.data);
  assert.equal((await ask("GET", "/v1/admin/users", again)).slug, "forbidden");
});

test("the provider's group makes staff, who need a user to act as", async () => {
  const staff = await signIn("eve");
  const missing = await ask("GET", "/v1/admin/users", staff);
  assert.deepEqual([missing.status, missing.slug], [500, "admin-user-not-provisioned"]);
  assert.equal((await ask("POST", "/v1/users", staff, {})).status, 201);
  const users = await ask("GET", "/v1/admin/users?limit=50", staff);
  assert.equal(users.status, 200);
  const { data: me } = await ask("GET", "/v1/me", staff);
  assert.ok(me.roles.includes("staff"));
  assert.ok(users.data.some(({ public_id }) => public_id === me.public_id));
});

for (const [signedWith, { kid }] of Object.entries(KEYS)) {
  test(`tokens that the provider signs with ${signedWith} are understood`, async () => {
    algorithm = signedWith;
    const signed = await signIn("ada");
    const header = part(signed, 0);
    assert.deepEqual([header.alg, header.kid, header.typ], [signedWith, kid, "at+jwt"]);
    assert.equal((await ask("POST", "/v1/users", signed, {})).status, 201);
    const [head, claims, signature] = signed.split(".");
    const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const other = encode({ ...part(signed, 1), sub: "eve" });
    const unsigned = encode({ ...header, alg: "none" });
    for (const forged of [`${head}.${other}.${signature}`, `${unsigned}.${claims}.`]) {
      assert.equal((await ask("GET", "/v1/me", forged)).slug, "auth-required");
    }
  });
}

test("a machine that the provider knows is somebody, too", async () => {
  const robot = await token({
    grant_type: "client_credentials",
    client_id: "robot",
    client_secret: "secret",
    resource: AUDIENCE,
  });
  assert.equal((await ask("GET", "/v1/me", robot)).slug, "user-not-provisioned");
  const made = await ask("POST", "/v1/users", robot, { display_name: "Robot" });
  assert.equal(made.status, 201);
  assert.equal((await ask("GET", "/v1/me", robot)).data.public_id, made.data.public_id);
});

test("a token for another audience is nobody's, and only the provider signs out", async () => {
  const elsewhere = await signIn("ada", "https://elsewhere.example");
  assert.equal((await ask("GET", "/v1/me", elsewhere)).slug, "auth-required");
  const here = await signIn("ada");
  assert.equal((await ask("DELETE", "/v1/auth/session", here)).slug, "forbidden");
});

test("the doctor looks at the provider", async () => {
  const doctor = async (name) => {
    const settings = { STOA__OIDC__ISSUER: name, STOA__OIDC__AUDIENCE: AUDIENCE };
    const env = { ...process.env, ...settings };
    const flags = ["--listen", "127.0.0.1:0", "--sim-listen", "127.0.0.1:0"];
    const run = promisify(execFile)(process.env.STOA_BIN, ["doctor", ...flags], { env });
    const { stdout } = await run.catch((failed) => failed);
    return stdout.split("\n").find((line) => /^\S+\s+issuer\s/.test(line));
  };
  assert.match(await doctor(issuer.name), /^ok .* 4 keys$/);
  const wrong = await doctor(`${issuer.name}/`);
  assert.match(wrong, /^FAIL .*names itself http:\S+; it must be written exactly so/);
});
