// Gives published routers the orders of a generated market, and writes what each
// would sell to which pool, one answer to a line.
//
// Argument: the folder in which they are installed. Input: a market as
// `oracles::export` writes it, all pools x·y = k. They run from the registry's
// packages as they are; nothing of them is kept here.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'

const [, , folder, count] = process.argv
const require = createRequire(join(folder, 'package.json'))
const market = JSON.parse(readFileSync(0, 'utf8'))
const sales = market.queries
  .map((query, number) => ({ ...query, number }))
  .filter((query) => !query.exactOut && !query.direct)
  .slice(0, Number(count))

// Milliseconds that the process has had a processor.
const spent = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

// An address of 20 bytes, as these routers know them.
const address = (number) => `0x${(number + 1).toString(16).padStart(40, '0')}`

const write = (peer, query, milliseconds, flows) =>
  console.log(JSON.stringify({ peer, query: query.number, milliseconds, flows }))

function tines() {
  const { ConstantProductRPool, findMultiRouteExactIn } = require('@sushiswap/tines')
  const tokens = market.tokens.map((token, number) => ({
    name: `${number}`,
    symbol: `${number}`,
    address: address(number),
    decimals: token.decimals,
  }))
  const pools = market.pools.map(
    (pool, number) =>
      new ConstantProductRPool(
        address(number),
        tokens[pool.tokens[0]],
        tokens[pool.tokens[1]],
        pool.fee / 100_000,
        ...pool.reserves.map(BigInt),
      ),
  )
  for (const query of sales) {
    const start = spent()
    const [from, to] = [tokens[query.sell], tokens[query.buy]]
    const route = findMultiRouteExactIn(from, to, BigInt(query.amountMany), pools, tokens[0], 0)
    const time = spent() - start
    const flows = route.legs.map((leg) => {
      const pool = Number(leg.poolAddress) - 1
      const side = Number(leg.tokenFrom.address) - 1 === market.pools[pool].tokens[0] ? 0 : 1
      return [pool, side, leg.absolutePortion]
    })
    write('Sushi Tines', query, time, flows)
  }
}

async function pancake() {
  const { SmartRouter, PoolType } = require('@pancakeswap/smart-router')
  const { CurrencyAmount, Token, TradeType } = require('@pancakeswap/sdk')
  const chain = 56
  const tokens = market.tokens.map(
    (token, number) => new Token(chain, address(number), token.decimals, `${number}`),
  )
  // It knows one pool for each pair, with one fee: the deepest pool it is.
  const deepest = new Map()
  market.pools.forEach((pool, number) => {
    const pair = [...pool.tokens].sort((one, other) => one - other).join()
    const depth = BigInt(pool.reserves[0]) * BigInt(pool.reserves[1])
    if (!deepest.has(pair) || depth > deepest.get(pair).depth) deepest.set(pair, { number, depth })
  })
  const numbers = new Map()
  const pools = [...deepest].map(([pair, { number }]) => {
    const pool = market.pools[number]
    numbers.set(pair, number)
    const amount = (place) =>
      CurrencyAmount.fromRawAmount(tokens[pool.tokens[place]], BigInt(pool.reserves[place]))
    const [first, second] = tokens[pool.tokens[0]].sortsBefore(tokens[pool.tokens[1]]) ? [0, 1] : [1, 0]
    return { type: PoolType.V2, reserve0: amount(first), reserve1: amount(second) }
  })
  const place = (token) => Number(token.address) - 1
  for (const query of sales) {
    const start = spent()
    const amount = CurrencyAmount.fromRawAmount(tokens[query.sell], BigInt(query.amountMany))
    const trade = await SmartRouter.getBestTrade(amount, tokens[query.buy], TradeType.EXACT_INPUT, {
      gasPriceWei: 0n,
      maxHops: 2,
      maxSplits: 4,
      poolProvider: SmartRouter.createStaticPoolProvider(pools),
      quoteProvider: SmartRouter.createOffChainQuoteProvider(),
      quoterOptimization: true,
      allowedPoolTypes: [PoolType.V2],
    }).catch(() => null)
    const time = spent() - start
    const flows = (trade?.routes ?? []).flatMap((route) =>
      route.path.slice(1).map((token, hop) => {
        const [from, to] = [place(route.path[hop]), place(token)]
        const pool = numbers.get([from, to].sort((one, other) => one - other).join())
        return [pool, market.pools[pool].tokens[0] === from ? 0 : 1, route.percent / 100]
      }),
    )
    write('PancakeSwap', query, time, flows)
  }
}

for (const router of [tines, pancake]) {
  try {
    await router()
  } catch (failure) {
    console.error(`${router.name} did not run: ${failure.message}`)
  }
}
