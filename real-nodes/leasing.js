// The lease market of one validator on a real cluster: an owner, a trader, the
// operator, and wallets that pay by Solana Pay.
import { execFileSync } from "node:child_process";
import { fetchTransaction, parseURL } from "solana-pay-0";
import { book, done, guarded, join, register } from "../clients/pay/people.js";
import { startProxy } from "../clients/pay/proxy.js";
import { startLeasing, until } from "./stoa.js";

export const PRICE = { sol: "2", lamports: 2_000_000_000 };
const FUNDS_SOL = 1_000;
// A payment has to become final, and then to be found.
const SETTLES_WITHIN_MS = 120_000;
const ASK_EVERY_MS = 500;
// Epochs ahead that nobody reaches while the rows run.
const FAR = 40;

export async function openLeasing(cluster) {
  const proxy = await startProxy();
  const wallets = await Promise.all([1, 2, 3].map(() => cluster.fund(FUNDS_SOL)));
  const [platform, owner, trader] = wallets;
  const market = new LeaseMarket(cluster, proxy, { platform, owner, trader });
  await market.start();
  market.owner = await join(market.url, owner, "owner");
  market.trader = await join(market.url, trader, "trader");
  market.staff = market.operator();
  market.unreached = (await cluster.epoch()) + FAR;
  market.validator = await market.register();
  // Nobody pays these in time.
  market.late = [await market.bookLate(), await market.bookLate()];
  return market;
}

class LeaseMarket {
  constructor(cluster, proxy, wallets) {
    Object.assign(this, { cluster, proxy, wallets, url: proxy.url });
  }

  get settings() {
    return { STOA__LEASING__PLATFORM_WALLET: this.wallets.platform.address, STOA__SOLANA__POLL: "500ms" };
  }

  // Starts the program, or starts it again where it was.
  async start() {
    const options = { settings: this.settings, folder: this.stoa?.folder, flags: ["--public-url", this.url] };
    this.stoa = await startLeasing(this.cluster.url, options);
    this.proxy.leadTo(this.stoa.api);
    const isReady = async () => (await this.stoa.chain("solana")).ready;
    await until("the market knows the epoch", isReady, async () => this.stoa.said);
  }

  async stop() {
    await this.stoa?.stop();
    await this.proxy.stop();
  }

  // A token of somebody who is staff, made as operators make one.
  operator() {
    const stoa = (...args) => execFileSync(process.env.STOA_BIN, [...args, "--data", this.stoa.folder], { encoding: "utf8" });
    const [user] = stoa("user", "add", "--name", "operator", "--role", "staff").match(/\b[0-9A-Z]{26}\b/);
    return stoa("token", "create", "--user", user, "--name", "rows").match(/lm_\S+/)[0];
  }

  // Lists the cluster's validator.
  async register(identity = this.cluster.identity) {
    const offer = { name: "the only one", payout_wallet: this.wallets.owner.address, price: PRICE };
    const keys = { identity: identity.address, secret_key_bytes: identity.secret_key_bytes };
    return register(this.url, this.owner, keys, offer);
  }

  book(epoch_start, epoch_count) {
    return book(this.url, this.trader, { validator_id: this.validator.public_id, epoch_start, epoch_count });
  }

  // Books epochs that are far ahead, other ones each time.
  async bookAhead(count = 1) {
    this.unreached += count;
    return this.book(this.unreached - count, count);
  }

  // Books, and keeps what a wallet may sign much later.
  async bookLate() {
    const booked = await this.bookAhead();
    return { ...booked, instructions: await this.instructions(booked.payment) };
  }

  lease(id) {
    return done(`${this.url}/v1/leases/${id}`, { bearer: this.trader });
  }

  async becomes(id, statement, isTrue) {
    let lease;
    const is = async () => isTrue((lease = await this.lease(id)));
    await until(statement, is, async () => JSON.stringify(lease), SETTLES_WITHIN_MS, ASK_EVERY_MS);
    return lease;
  }

  isActive(id) {
    return this.becomes(id, "the lease is active", ({ state }) => state === "active");
  }

  // What a wallet gets to sign when it follows a link.
  async instructions({ solana_pay_url }, wallet = this.wallets.trader) {
    const { connection } = this.cluster;
    const { instructions } = await fetchTransaction(connection, wallet.keys.publicKey, parseURL(solana_pay_url).link);
    return instructions;
  }

  async pay(payment, wallet = this.wallets.trader) {
    return this.cluster.send(await this.instructions(payment, wallet), wallet);
  }

  // What wallets gain while something happens.
  async gains(names, happens) {
    const held = () => Promise.all(names.map((name) => this.cluster.balance(this.wallets[name])));
    const before = await held();
    await happens();
    return (await held()).map((now, index) => now - before[index]);
  }

  post(path, bearer, body) {
    return done(`${this.url}${path}`, { method: "POST", bearer, body });
  }

  guarded(path, bearer, body) {
    return guarded(`${this.url}${path}`, bearer, body);
  }

  async reaches(epoch) {
    const is = async () => (await done(`${this.url}/v1/epoch`)).epoch >= epoch;
    const within = (epoch - (await this.cluster.epoch()) + 2) * 120_000;
    await until(`epoch ${epoch}`, is, undefined, within, ASK_EVERY_MS);
  }
}
