// Staking: the pools, what they earn, a member's stake, and changing it.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { account } from "../lib/account";
import { hex, shown, toUnits } from "../lib/amount";
import { ask } from "../lib/api";
import { date, share, usd } from "../lib/format";
import { pace } from "../lib/live";
import { useLoaded } from "../lib/load";
import { say } from "../lib/notices";
import type { Call } from "../lib/simulator";
import { needTokens, symbol, tokens } from "../lib/tokens";
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
const decimals = (token: string): number => tokens.value.get(token)?.decimals ?? 18;

export function Staking() {
  useEffect(needTokens, []);
  const { data, failure, again } = useLoaded("staking", (signal) => ask<Information>("/staking/v3", { signal }), pace);
  const chosen = useSignal<string | null>(null);
  if (failure && !data)
    return (
      <Page title="Staking">
        {failure.status === 404 ? <Empty title="There is nobody to stake with">This network has no staker, or the operator named none.</Empty> : <Trouble failure={failure} again={again} />}
      </Page>
    );
  const pool = data?.delegationPools.find((one) => one.poolAddress === chosen.value) ?? data?.delegationPools[0];
  return (
    <Page title="Staking" lead={data ? `Commission ${share(data.commission)}; the staker's own stake is ${usd(data.selfStakedAmountInUsd)}.` : "Pools and what they earn."}>
      <div class="stack">
        <div class="columns">
          {!data && [0, 1].map((at) => <Panel key={at} class="pool-wait"><Skeleton class="block" /></Panel>)}
          {data?.delegationPools.map((one) => (
            <Panel key={one.poolAddress} title={<><Logo address={one.tokenAddress} size={20} /> {symbol(one.tokenAddress)}</>} aside={<Address value={one.poolAddress} />}>
              <Figures>
                <Figure label="Earns a year" tone="up">{share(one.apr, 2)}</Figure>
                <Figure label="Staked" hint={usd(one.stakedAmountInUsd)}>
                  {shown(BigInt(one.stakedAmount), decimals(one.tokenAddress), 6)}
                </Figure>
              </Figures>
            </Panel>
          ))}
        </div>
        <div class="side">
          {pool && account.value ? (
            <Stake pool={pool} user={account.value.address} />
          ) : (
            <Panel title="A stake">
              <Empty title="Whose stake?">Choose an account beside.</Empty>
            </Panel>
          )}
          <Panel title="Member">
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

function Stake({ pool, user }: { pool: Pool; user: string }) {
  const path = `/staking/v3/pools/${pool.poolAddress}/members/${user}`;
  const turn = useSignal(0);
  const { data, failure, again } = useLoaded(path, (signal) => ask<Member>(path, { signal }), pace, turn);
  const amount = useSignal("100");
  const unit = decimals(pool.tokenAddress);
  const units = toUnits(amount.value, unit);
  const name = symbol(pool.tokenAddress);
  const act = async (what: string, action: string, body: Record<string, unknown>) => {
    try {
      const { calls } = await ask<{ calls: Call[] }>(`${path}/${action}`, { body: { userAddress: user, ...body } });
      await account.value!.execute(calls);
      say(`${what}: it is in one of the next blocks`);
      setTimeout(() => turn.value++, 3_000);
    } catch (error) {
      say((error as Error).message, "wrong", 9_000);
    }
  };
  return (
    <Panel title={`Your stake of ${name}`}>
      {failure && !data ? (
        <Trouble failure={failure} again={again} />
      ) : (
        <div class="stack">
          <Figures>
            <Figure label="Staked" hint={usd(data?.amountInUsd)}>{data ? `${shown(BigInt(data.amount), unit)} ${name}` : <Skeleton />}</Figure>
            <Figure label="Rewards to claim" hint={usd(data?.unclaimedRewardsInUsd)}>{data ? `${shown(BigInt(data.unclaimedRewards), STRK_DECIMALS)} STRK` : <Skeleton />}</Figure>
            <Figure label="Expected a year">{data ? `${shown(BigInt(data.expectedYearlyStrkRewards), STRK_DECIMALS)} STRK` : <Skeleton />}</Figure>
            <Figure label="Being withdrawn" hint={data?.unpoolTime ? `from ${date(data.unpoolTime * (data.unpoolTime < 1e11 ? 1000 : 1))}` : undefined}>
              {data ? `${shown(BigInt(data.unpoolAmount), unit)} ${name}` : <Skeleton />}
            </Figure>
          </Figures>
          <div class="fields">
            <label class="field">
              <span>Amount of {name}</span>
              <input inputMode="decimal" value={amount.value} onInput={(event) => (amount.value = event.currentTarget.value)} />
            </label>
            <Action class="primary" disabled={!units} run={() => act("Staked", "stake", { amount: hex(units!) })}>Stake</Action>
            <Action disabled={!units || !data || BigInt(data.amount) === 0n} run={() => act("Withdrawal begun", "initiate-withdraw", { amount: hex(units!) })}>Withdraw</Action>
            <Action disabled={!data || BigInt(data.unclaimedRewards) === 0n} run={() => act("Claimed", "claim-rewards", { restake: false })}>Claim</Action>
          </div>
        </div>
      )}
    </Panel>
  );
}
