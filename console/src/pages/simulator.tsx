// Steering the simulated networks: time, blocks, forks, faults, and who has what.
import { useSignal } from "@preact/signals";
import { shown } from "../lib/amount";
import { sol } from "../lib/format";
import { pace } from "../lib/live";
import { useLoaded } from "../lib/load";
import { attempt } from "../lib/notices";
import { readSimulated, simulated, steer } from "../lib/simulator";
import { isSimulated } from "../lib/settings";
import { Action, Address, Choice, Empty, Page, Panel, SkeletonRows, Trouble } from "../ui/parts";
import "../style/simulator.css";

type Network = "starknet" | "solana";

const done = (what: string, deed: Promise<unknown>): Promise<void> => attempt(() => deed, what);

export function Simulator() {
  const { failure, again } = useLoaded(isSimulated ? "simulated" : null, readSimulated, pace);
  if (!isSimulated)
    return (
      <Page title="Simulator">
        <Empty title="These are real networks">The simulator is available where the service runs networks of its own.</Empty>
      </Page>
    );
  return (
    <Page title="Simulator" lead="These networks run inside this service. Nothing here has any value, so try anything.">
      <div class="stack">
        <div class="columns">
          <Starknet />
          <Solana />
        </div>
        <Faults />
        {failure && !simulated.value ? <Trouble failure={failure} again={again} /> : <Accounts />}
        <Identities />
      </div>
    </Page>
  );
}

/** A whole number beside the button that uses it. */
function Steered({ label, initial, most, button, run }: { label: string; initial: number; most: number; button: string; run: (value: number) => Promise<void> }) {
  const value = useSignal(String(initial));
  const number = Number(value.value);
  const fits = Number.isInteger(number) && number >= 1 && number <= most;
  return (
    <div class="steered">
      <label class="field">
        <span>{label}</span>
        <input type="number" min={1} max={most} value={value.value} onInput={(event) => (value.value = event.currentTarget.value)} />
      </label>
      <Action run={() => run(number)} disabled={!fits}>
        {button}
      </Action>
    </div>
  );
}

function Starknet() {
  return (
    <Panel title="Starknet">
      <div class="controls">
        <Steered label="Blocks" initial={1} most={1000} button="Mine" run={(blocks) => done(`Mined ${blocks} ${blocks === 1 ? "block" : "blocks"}`, steer("starknet", "sim_mine", { blocks }))} />
        <Steered label="Seconds" initial={3600} most={31_536_000} button="Advance" run={(seconds) => done(`Moved the clock forward by ${seconds} s`, steer("starknet", "sim_advance", { seconds }))} />
        <Steered label="Blocks back" initial={3} most={64} button="Reorganise" run={(depth) => done(`Replaced the newest ${depth} blocks`, steer("starknet", "sim_reorg", { depth }))} />
        <Pausing network="starknet" what="blocks" />
      </div>
    </Panel>
  );
}

function Solana() {
  return (
    <Panel title="Solana">
      <div class="controls">
        <Steered label="Slots" initial={40} most={10_000} button="Mine" run={(slots) => done(`Mined ${slots} slots`, steer("solana", "sim_mine", { slots }))} />
        <Steered label="Epochs" initial={1} most={60} button="Advance" run={(count) => done(`Advanced by ${count} ${count === 1 ? "epoch" : "epochs"}`, steer("solana", "sim_advanceEpochs", { count }))} />
        <Steered label="Slots back" initial={8} most={31} button="Reorganise" run={(depth) => done(`Replaced the newest ${depth} slots`, steer("solana", "sim_reorg", { depth }))} />
        <Pausing network="solana" what="slots" />
      </div>
    </Panel>
  );
}

const Pausing = ({ network, what }: { network: Network; what: string }) => (
  <div class="pausing">
    <Action run={() => done(`No more ${what} until you resume`, steer(network, "sim_pause"))}>Pause</Action>
    <Action run={() => done("Resumed", steer(network, "sim_resume"))}>Resume</Action>
  </div>
);

const KINDS = ["delay", "dropped", "http_5xx", "http_429", "malformed", "truncated", "oversized", "wrong_id", "stale_head"];

function Faults() {
  const network = useSignal<Network>("starknet");
  const method = useSignal("*");
  const kind = useSignal(KINDS[2]!);
  const count = useSignal("5");
  const fault = (asked: string) => steer(network.value, "sim_fault", { method: method.value, kind: asked, count: Number(count.value), delay_ms: 2_000 });
  return (
    <Panel title="Faults" aside="break a node's next answers and watch the service cope">
      <div class="fields">
        <Choice label="Node" value={network.value} options={[["starknet", "Starknet"], ["solana", "Solana"]]} onChange={(next) => (network.value = next)} />
        <label class="field">
          <span>Method (* for any)</span>
          <input value={method.value} onInput={(event) => (method.value = event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Fault</span>
          <select value={kind.value} onChange={(event) => (kind.value = event.currentTarget.value)}>
            {KINDS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>How many answers</span>
          <input type="number" min={1} max={1000} value={count.value} onInput={(event) => (count.value = event.currentTarget.value)} />
        </label>
        <Action run={() => done(`The next ${count.value} answers will fail`, fault(kind.value))}>Inject</Action>
        <Action run={() => done("Faults cleared", fault("none"))}>Clear</Action>
      </div>
    </Panel>
  );
}

function Accounts() {
  const it = simulated.value;
  const symbols = it?.accounts[0]?.balances.map((balance) => balance.symbol) ?? ["ETH", "STRK", "USDC"];
  return (
    <div class="columns">
      <Panel title="Accounts on Starknet" flush>
        <div class="scroll" tabIndex={0} role="region" aria-label="Accounts on Starknet">
          <table class="table dense">
            <thead>
              <tr>
                <th scope="col">Account</th>
                {symbols.map((symbol) => (
                  <th scope="col" key={symbol} class="number">{symbol}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {!it && <SkeletonRows rows={10} columns={4} />}
              {it?.accounts.map((account, at) => (
                <tr key={account.address}>
                  <th scope="row">
                    {at + 1}. <Address value={account.address} />
                  </th>
                  {account.balances.map((balance) => (
                    <td key={balance.symbol} class="number">{shown(BigInt(balance.amount), balance.decimals, 6)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
      <Panel title="Wallets on Solana" flush>
        <table class="table dense">
          <thead>
            <tr>
              <th scope="col">Wallet</th>
              <th scope="col" class="number">Balance</th>
            </tr>
          </thead>
          <tbody>
            {!it && <SkeletonRows rows={10} columns={2} />}
            {it?.wallets.map((wallet, at) => (
              <tr key={wallet.address}>
                <th scope="row">
                  {at + 1}. <Address value={wallet.address} />
                </th>
                <td class="number">{sol(wallet.lamports)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </div>
  );
}

function Identities() {
  const it = simulated.value;
  return (
    <Panel title="Demo credentials" aside="public, and valid on simulated networks only">
      <ul class="credentials">
        {it?.bearers.map((bearer) => (
          <li key={bearer.token}>
            <span class="soft">Bearer token, {bearer.roles.join(", ")}</span>
            <Address value={bearer.token} head={40} />
          </li>
        ))}
        {it && (
          <li>
            <span class="soft">Paymaster sponsor's API key</span>
            <Address value={it.sponsorKey} head={40} />
          </li>
        )}
      </ul>
    </Panel>
  );
}
