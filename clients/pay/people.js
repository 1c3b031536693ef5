// Somebody with a wallet, who signs in and sends requests to the market.
import { createHash, createPrivateKey, sign as signBytes } from "node:crypto";
import { ulid } from "./ulid.js";

// DER of an Ed25519 private key, up to the 32 bytes of the key itself.
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

export function signer({ secret_key_bytes }) {
  const key = Buffer.concat([PKCS8, Buffer.from(secret_key_bytes.slice(0, 32))]);
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  return (text) => base58(signBytes(null, Buffer.from(text), privateKey));
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

export function base58(bytes) {
  let number = BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text;
  const zeros = [...bytes].findIndex((byte) => byte !== 0);
  return "1".repeat(Math.max(zeros, 0)) + text;
}

export async function ask(url, { method = "GET", bearer, body, headers = {} } = {}) {
  const sent = { Accept: "application/json", ...headers };
  if (bearer) sent.Authorization = `Bearer ${bearer}`;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  const answer = await fetch(url, { method, headers: sent, body: body && JSON.stringify(body) });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

export async function done(url, options) {
  const { status, body } = await ask(url, options);
  if (status >= 300) throw new Error(`${url}: ${status} ${JSON.stringify(body)}`);
  return body.data;
}

// Signs in with a wallet, and becomes a user.
export async function join(market, wallet, display_name) {
  const sign = signer(wallet);
  const { address } = wallet;
  const post = (path, body, bearer) => done(`${market}${path}`, { method: "POST", body, bearer });
  const { message, nonce } = await post("/v1/auth/challenge", { address });
  const signature = sign(message);
  const { session_token } = await post("/v1/auth/session", { address, nonce, signature });
  await post("/v1/users", { display_name }, session_token);
  return session_token;
}

// Posts something that is done once, however often it is sent.
export const guarded = (url, bearer, body) =>
  done(url, { method: "POST", bearer, body, headers: { "Idempotency-Key": ulid() } });

export const book = (market, bearer, body) => guarded(`${market}/v1/leases`, bearer, body);

// Lists a validator, signed with its identity's key.
export async function register(market, bearer, { identity, secret_key_bytes }, offer) {
  const { name, payout_wallet, price } = offer;
  const [region, tier] = ["eu-central-1", "standard"];
  const { public_id: account } = await done(`${market}/v1/me`, { bearer });
  const terms = { price_lamports: `${price.lamports}`, region, shared: null, tier };
  const listing = { name, tee_endpoint: null, terms };
  const digest = createHash("sha256").update(JSON.stringify(listing)).digest("hex");
  const timestamp = Math.floor(Date.now() / 1000);
  const nonce = `registration-${ulid()}`;
  const domain = new URL(market).host;
  const fields = [domain, account, identity, payout_wallet, timestamp, nonce, digest];
  const text = ["lease-market:v2:register", ...fields].join(":");
  const signature = signer({ secret_key_bytes })(text);
  const body = {
    identity_pubkey: identity, payout_wallet, name, tier, region,
    price_sol: price.sol, timestamp, nonce, signature,
  };
  return done(`${market}/v1/validators`, { method: "POST", bearer, body });
}
