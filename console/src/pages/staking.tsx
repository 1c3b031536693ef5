// Staking: the pools, what they earn, a member's stake, and changing it.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { account } from "../lib/account";
import { hex, shown, toUnits } from "../lib/amount";
import { ask } from "../lib/api";
import { date, share, usd } from "../lib/format";
import { pace } from "../lib/live";
import { useLoaded } from "../lib/load";
import { attempt } from "../lib/notices";
import { isSimulated } from "../lib/settings";
import { simulated, type Call } from "../lib/simulator";
import { decimalsOf, needTokens, symbol, tokens } from "../lib/tokens";
import { AccountPicker } from "../ui/account-picker";
import { Logo } from "../ui/logo";
import { Action, Address, Choice, Empty, Figure, Figures, Page, Panel, Skeleton, Trouble } from "../ui/parts";

interface Pool {
  poolAddress: string;
  tokenAddress: string;
  stakedAmount: string;
  stakedAmountInUsd: number;
  apr: number;
}

interface Information {
  stakerAddress: string;
  commission: number;
  selfStakedAmount: string;
  selfStakedAmountInUsd: number;
  delegationPools: Pool[];
}

interface Member {
  amount: string;
  amountInUsd: number;
  unclaimedRewards: string;
  unclaimedRewardsInUsd: number;
  unpoolAmount: string;
  unpoolTime: number | null;
  expectedYearlyStrkRewards: string;
  realisedApr: number | null;
}

const STRK_DECIMALS = 18;
/** As many panels as a staker mostly has pools, with the place of what is awaited. */
const AWAITED: undefined[] = [undefined, undefined];
/** A line that holds the place of a hint. */
const NOTHING_YET = "\u00a0";
/** By then what was sent is in a block. */
const INCLUDED_MS = 3_000;

export function Staking() {
  useEffect(needTokens, []);
  const { data: told, failure, again } = useLoaded("staking", (signal) => ask<Information>("/staking/v3", { signal }), pace);
  // Amounts mean nothing before the tokens are known.
  const data = tokens.value.size ? told : undefined;
  const chosen = useSignal<string | null>(null);
  if (failure && !data)
    return (
      <Page title="Staking">
        {failure.status === 404 ? <Empty title="No staking here">This network has no staker, or the operator has not named one.</Empty> : <Trouble failure={failure} again={again} />}
      </Page>
    );
  // A simulated account is chosen as soon as they are known.
  const isChosenSoon = isSimulated && !simulated.value;
  const pool = data?.delegationPools.find((one) => one.poolAddress === chosen.value) ?? data?.delegationPools[0];
  return (
    <Page title="Staking" lead={`The staker takes a commission of ${share(data?.commission)} and has ${usd(data?.selfStakedAmountInUsd)} of its own staked.`}>
      <div class="stack">
        <div class="columns">
          {(data?.delegationPools ?? AWAITED).map((one, at) => (
            <PoolPanel key={one?.poolAddress ?? at} pool={one} />
          ))}
        </div>
        <div class="side">
          {account.value || isChosenSoon ? (
            <Stake pool={pool} user={account.value?.address} />
          ) : (
            <Panel title="Your stake">
              <Empty title="No account chosen">Choose one to see its stake.</Empty>
            </Panel>
          )}
          <Panel title="Account">
            <div class="stack">
              <AccountPicker />
              {data && data.delegationPools.length > 1 && (
                <Choice label="Pool" value={pool?.poolAddress ?? ""} options={data.delegationPools.map((one) => [one.poolAddress, symbol(one.tokenAddress)] as const)} onChange={(next) => (chosen.value = next)} />
              )}
            </div>
          </Panel>
        </div>
      </div>
    </Page>
  );
}

function PoolPanel({ pool }: { pool: Pool | undefined }) {
  const token = pool?.tokenAddress ?? "";
  return (
    <Panel title={pool ? <><Logo address={token} size={20} /> {symbol(token)}</> : "Pool"} aside={pool && <Address value={pool.poolAddress} />}>
      <Figures>
        <Figure label="APR" tone="up">{pool ? share(pool.apr, 2) : <Skeleton />}</Figure>
        <Figure label="Staked" hint={pool ? usd(pool.stakedAmountInUsd) : NOTHING_YET}>
          {pool ? `${shown(BigInt(pool.stakedAmount), decimalsOf(token), 6)} ${symbol(token)}` : <Skeleton />}
        </Figure>
      </Figures>
    </Panel>
  );
}

function Stake({ pool, user }: { pool: Pool | undefined; user: string | undefined }) {
  const path = pool && user ? `/staking/v3/pools/${pool.poolAddress}/members/${user}` : null;
  const turn = useSignal(0);
  const { data, failure, again } = useLoaded(path, (signal) => ask<Member>(path!, { signal }), pace, turn);
  const amount = useSignal("100");
  const unit = decimalsOf(pool?.tokenAddress ?? "");
  const units = toUnits(amount.value, unit);
  const name = pool ? symbol(pool.tokenAddress) : "";
  const act = (what: string, action: string, body: Record<string, unknown>) =>
    attempt(async () => {
      const { calls } = await ask<{ calls: Call[] }>(`${path}/${action}`, { body: { userAddress: user, ...body } });
      await account.value!.execute(calls);
      setTimeout(() => turn.value++, INCLUDED_MS);
    }, `${what} sent. It will be in one of the next blocks.`);
  return (
    <Panel title={name ? `Your ${name} stake` : "Your stake"}>
      {failure && !data ? (
        <Trouble failure={failure} again={again} />
      ) : (
        <div class="stack">
          <Figures>
            <Figure label="Staked" hint={data ? usd(data.amountInUsd) : NOTHING_YET}>{data ? `${shown(BigInt(data.amount), unit)} ${name}` : <Skeleton />}</Figure>
            <Figure label="Claimable rewards" hint={data ? usd(data.unclaimedRewardsInUsd) : NOTHING_YET}>{data ? `${shown(BigInt(data.unclaimedRewards), STRK_DECIMALS)} STRK` : <Skeleton />}</Figure>
            <Figure label="Expected per year">{data ? `${shown(BigInt(data.expectedYearlyStrkRewards), STRK_DECIMALS)} STRK` : <Skeleton />}</Figure>
            <Figure label="Withdrawing" hint={data?.unpoolTime ? `from ${date(data.unpoolTime * (data.unpoolTime < 1e11 ? 1000 : 1))}` : undefined}>
              {data ? `${shown(BigInt(data.unpoolAmount), unit)} ${name}` : <Skeleton />}
            </Figure>
          </Figures>
          <div class="fields">
            <label class="field">
              <span>Amount{name && ` of ${name}`}</span>
              <input inputMode="decimal" value={amount.value} onInput={(event) => (amount.value = event.currentTarget.value)} />
            </label>
            <Action class="primary" disabled={!units || !path} run={() => act("Stake", "stake", { amount: hex(units!) })}>Stake</Action>
            <Action disabled={!units || !data || BigInt(data.amount) === 0n} run={() => act("Withdrawal", "initiate-withdraw", { amount: hex(units!) })}>Withdraw</Action>
            <Action disabled={!data || BigInt(data.unclaimedRewards) === 0n} run={() => act("Claim", "claim-rewards", { restake: false })}>Claim</Action>
          </div>
        </div>
      )}
    </Panel>
  );
}
