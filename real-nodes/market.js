// A small market on a devnet: three tokens, JediSwap v1's factory with two pairs,
// an Ekubo core with two pools, a vault, and the exchange. All trades of its own go
// past the exchange, straight to the venues.
import { shortString } from "starknet";

const TICK_SPACING = 1_000n;
// 0.05 % of what is sold, as a fraction of 2^128.
export const FEE = 2n ** 128n / 2_000n;
// What is minted for each account, and what it lets contracts take.
const PLENTY = 2n ** 123n;
export const LARGEST = 2n ** 128n - 1n;
const STAKER = "0x5a4e6";
export const STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";

const TOKENS = [
  ["Real Dollar", "RUSD", 6],
  ["Real Ether", "RETH", 18],
  ["Real Coin", "RBTC", 8],
];

export async function openMarket(devnet, classes) {
  const market = new Market(devnet, classes);
  await market.open();
  return market;
}

const u256 = (amount) => [amount & (2n ** 128n - 1n), amount >> 128n];
const i129 = (number) => (number < 0n ? [-number, 1] : [number, 0]);
const hex = (felt) => `0x${BigInt(felt).toString(16)}`;
const call = (contractAddress, entrypoint, calldata) => ({ contractAddress, entrypoint, calldata: calldata.map(hex) });
const joined = (low, high) => BigInt(low) + (BigInt(high) << 128n);

class Market {
  constructor(devnet, classes) {
    Object.assign(this, { devnet, classes, hashes: {}, chainId: devnet.chainId });
  }

  async open() {
    const { devnet } = this;
    for (const name of Object.keys(this.classes)) this.hashes[name] = await devnet.declare(this.classes[name]);
    this.tokens = [];
    for (const [name, symbol, decimals] of TOKENS) this.tokens.push(await this.token(name, symbol, decimals));
    this.factory = await devnet.deploy(this.hashes.factory, [this.hashes.pair]);
    this.core = await devnet.deploy(this.hashes.core, []);
    const [dollar, ether, coin] = this.tokens;
    const vault = hex(await devnet.deploy(this.hashes.vault, [ether.address]));
    this.vault = { address: vault, symbol: "xRETH", decimals: 18, whole: ether.whole };
    const feeRecipient = devnet.accounts[5].address;
    const terms = [this.factory, this.core, vault, feeRecipient, 2, 15, 5];
    this.exchange = await devnet.deploy(this.hashes.exchange, terms);
    // So that fees are not always paid in what is bought.
    await devnet.execute([call(this.exchange, "set_token_fee_config", [dollar.address, 3])]);
    // What gas is paid in has a price.
    const strk = { address: STRK, symbol: "STRK", decimals: 18, whole: 10n ** 18n };
    await this.openPair([strk, 1_000_000n], [dollar, 150_000n]);
    this.pairs = [
      await this.openPair([dollar, 5_000_000n], [ether, 2_000n]),
      await this.openPair([ether, 1_000n], [coin, 40n]),
    ];
    this.pools = [
      await this.openPool([ether, dollar], 2_500, FEE),
      await this.openPool([coin, dollar], 62_500, FEE * 4n),
    ];
    this.poolCount = 6;
    // Its shares are worth more than what was paid for them.
    await this.deposit(1_000n * ether.whole);
    await this.give(137n * ether.whole);
    await this.openServices();
  }

  // Recurring orders with a keeper, staking, and a forwarder with a relayer.
  async openServices() {
    const { devnet, hashes } = this;
    const [, , , , , operator] = devnet.accounts;
    this.orders = hex(await devnet.deploy(hashes.orderFactory, [hashes.order, this.exchange]));
    await devnet.execute([call(this.orders, "set_executor", [operator.address, 1])]);
    this.staking = hex(await devnet.deploy(hashes.staking, [STAKER, STRK]));
    await devnet.execute([call(STRK, "transfer", [this.staking, ...u256(10n ** 24n)])]);
    this.forwarder = hex(await devnet.deploy(hashes.forwarder, [operator.address, operator.address]));
  }

  // What every Stoa is told of them.
  get settings() {
    return {
      STOA__DCA__FACTORY: this.orders,
      STOA__STAKING__STAKER: STAKER,
      STOA__STAKING__CONTRACT: this.staking,
      STOA__STAKING__POOLS: this.staking,
      STOA__PAYMASTER__FORWARDER: this.forwarder,
    };
  }

  // What the one is told that acts.
  get keys() {
    const { address } = this.devnet.accounts[5];
    const key = this.devnet.keys[5];
    return {
      STOA__DCA__KEEPER_ADDRESS: address,
      STOA__DCA__KEEPER_KEY: key,
      STOA__PAYMASTER__RELAYERS: address,
      STOA__PAYMASTER__RELAYER_KEYS: key,
      STOA__PAYMASTER__DEPTH: "2",
    };
  }

  get venues() {
    const venue = (name, kind, contract) => ({ name, kind, contract, router: contract });
    return [
      venue("Ekubo", "ekubo", this.core),
      venue("JediSwap", "jedi_swap", this.factory),
      { ...venue("Endur", "endur", this.vault.address), enabled: true },
    ];
  }

  get anchors() {
    const [dollar, ether] = this.tokens;
    return { stables: [dollar.address], hubs: [ether.address] };
  }

  // A new token, of which every account has plenty.
  async token(name, symbol, decimals) {
    const felts = [shortString.encodeShortString(name), shortString.encodeShortString(symbol), decimals];
    const address = hex(await this.devnet.deploy(this.hashes.token, felts));
    const mints = this.devnet.accounts.map((account) => call(address, "mint", [account.address, ...u256(PLENTY)]));
    await this.devnet.execute(mints);
    return { address, name, symbol, decimals, whole: 10n ** BigInt(decimals) };
  }

  async openPair([one, oneAmount], [other, otherAmount]) {
    const { devnet } = this;
    await devnet.execute([call(this.factory, "create_pair", [one.address, other.address])]);
    const [address] = await devnet.view(this.factory, "get_pair", [one.address, other.address]);
    await devnet.execute([
      call(one.address, "transfer", [address, ...u256(oneAmount * one.whole)]),
      call(other.address, "transfer", [address, ...u256(otherAmount * other.whole)]),
      call(address, "mint", [devnet.accounts[0].address]),
    ]);
    const tokens = [one, other].sort(byAddress);
    return { address: hex(address), tokens };
  }

  // A pool whose price is so much of the second for one of the first, whatever
  // their order, with three positions around it.
  async openPool([base, quote], price, fee, spacing = TICK_SPACING) {
    const tokens = [base, quote].sort(byAddress);
    const raw = (price * Number(quote.whole)) / Number(base.whole);
    const ratio = tokens[0] === base ? raw : 1 / raw;
    const tick = BigInt(Math.round(Math.log(ratio) / Math.log(1.000001)));
    const pool = { tokens, tick, key: [tokens[0].address, tokens[1].address, fee, spacing, 0n] };
    await this.devnet.execute([call(this.core, "initialize_pool", [...pool.key, ...i129(tick)])]);
    const around = (tick / spacing) * spacing;
    const size = BigInt(Math.round(Math.sqrt(Number(base.whole) * Number(quote.whole)))) * 20_000n;
    for (const [width, share] of [[20_000n, 4n], [100_000n, 2n], [800_000n, 1n]]) {
      const bounds = [around - (width / spacing) * spacing, around + (width / spacing + 1n) * spacing];
      await this.provide(pool, bounds, size * share);
    }
    return pool;
  }

  async provide(pool, [lower, upper], liquidity, account) {
    const approvals = pool.tokens.map(({ address }) => call(address, "approve", [this.core, ...u256(LARGEST)]));
    const params = [1, ...i129(lower), ...i129(upper), ...i129(liquidity)];
    return this.devnet.execute([...approvals, call(this.core, "update_position", [...pool.key, ...params])], account);
  }

  async reserves({ address }) {
    const [low0, high0, low1, high1] = await this.devnet.view(address, "get_reserves");
    return [joined(low0, high0), joined(low1, high1)];
  }

  // Sells to a pair, for as much as so many thousandths of it would give.
  async sellToPair(pair, side, amount, kept = 997n) {
    const reserves = await this.reserves(pair);
    const out = paid(reserves[side], reserves[1 - side], amount, kept);
    const outs = side === 0 ? [0n, out] : [out, 0n];
    const to = this.devnet.accounts[1].address;
    const calls = [
      call(pair.tokens[side].address, "transfer", [pair.address, ...u256(amount)]),
      call(pair.address, "swap", [...u256(outs[0]), ...u256(outs[1]), to, 0]),
    ];
    return this.devnet.execute(calls, this.devnet.accounts[1]);
  }

  async deposit(amount) {
    const [, , , account] = this.devnet.accounts;
    const approval = call(this.tokens[1].address, "approve", [this.vault.address, ...u256(amount)]);
    const deposit = call(this.vault.address, "deposit", [...u256(amount), account.address]);
    return this.devnet.execute([approval, deposit], account);
  }

  // What the vault is given without a word.
  async give(amount) {
    return this.devnet.execute([call(this.tokens[1].address, "transfer", [this.vault.address, ...u256(amount)])]);
  }

  // Sells to the core, or buys where the amount is negative.
  async swapInPool(pool, side, amount, { limit, account = this.devnet.accounts[1] } = {}) {
    const approvals = pool.tokens.map(({ address }) => call(address, "approve", [this.core, ...u256(LARGEST)]));
    const rises = (side === 1) !== amount < 0n;
    limit ??= rises ? MAX_SQRT_RATIO : MIN_SQRT_RATIO;
    const params = [...i129(amount), side, ...u256(limit), 100];
    return this.devnet.execute([...approvals, call(this.core, "swap", [...pool.key, ...params])], account);
  }

  // So many swaps in each direction of each pair and pool, and one deposit more: the
  // first says nothing, since the vault was given something before.
  async trade(count, { pairs = this.pairs, pools = this.pools } = {}) {
    for (let round = 0; round <= count; round++) await this.deposit(this.vault.whole + BigInt(round));
    for (let round = 0; round < count; round++) {
      for (const side of [0, 1]) {
        for (const pair of pairs) {
          const reserves = await this.reserves(pair);
          await this.sellToPair(pair, side, reserves[side] / BigInt(300 + 17 * round));
        }
        for (const pool of pools) {
          const amount = (portion(pool.tokens[side]) * BigInt(100 + 37 * round)) / 100n;
          await this.swapInPool(pool, side, amount);
        }
      }
    }
  }
}

const MIN_SQRT_RATIO = 0x1000003f7f1380b75n;
const MAX_SQRT_RATIO = 0xfffffc080ed7b4556f3528fe26840249f4b191ef6dff7928n;

const byAddress = (one, other) => (BigInt(one.address) < BigInt(other.address) ? -1 : 1);

// What 2,500 dollars of a token are, in its units.
export const portion = ({ symbol, whole }) =>
  ({ RUSD: whole * 2_500n, RETH: whole, RBTC: whole / 25n, xRETH: whole })[symbol];

// What a pair pays.
export function paid(into, from, amount, kept) {
  const counted = amount * kept;
  return (counted * from) / (into * 1_000n + counted);
}

export { call, hex, i129, u256 };
