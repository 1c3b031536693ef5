// For staff: validators, money that fits no lease, what is owed, and what was done.
import { date, sol } from "../lib/format";
import type { Validator } from "../lib/leases";
import { pace } from "../lib/live";
import { useLoaded, type Loaded } from "../lib/load";
import { attempt } from "../lib/notices";
import { hasRole, market, session } from "../lib/session";
import { hasLeases } from "../lib/settings";
import type { ComponentChildren } from "preact";
import { Action, Address, Empty, Page, Panel, SkeletonRows, Tag, Trouble } from "../ui/parts";
import { SignedIn, SignIn, useSession } from "../ui/sign-in";
import "../style/leases.css";

interface Stray {
  signature: string;
  slot: number;
  payer: string;
  payments: { lease_id: string; reason: string }[];
  legs: { wallet: string; lamports: number; refund_id: string | null }[];
}

interface Refund {
  id: string;
  lease_id: string;
  amount_sol: string;
  debtor: string;
  creditor_wallet: string;
  status: string;
  created_at: string;
}

interface Audited {
  public_id: string;
  at: string;
  actor: { kind: string; id: string | null };
  action: string;
  subject: { kind: string; id: string };
}

export function Staff() {
  useSession();
  const who = session.value;
  const isStaff = hasRole("staff");
  return (
    <Page title="Staff" lead="For the people who run the market." actions={<SignedIn />}>
      {!hasLeases ? (
        <Panel><Empty title="There is no lease market here" /></Panel>
      ) : !isStaff ? (
        <Panel title="For staff">
          <SignIn why={who ? "You are signed in, but not as staff. Sign in with a staff account." : "Sign in with a staff account."} />
        </Panel>
      ) : (
        <div class="stack" key={who!.bearer}>
          <div class="columns">
            <Strays />
            <Refunds />
          </div>
          <Offers />
          <Audit />
        </div>
      )}
    </Page>
  );
}

function List<T>({ title, loaded, head, row, none }: { title: string; loaded: Loaded<T[]>; head: string[]; row: (item: T) => ComponentChildren; none: string }) {
  const { data, failure, again } = loaded;
  return (
    <Panel title={title} flush>
      {failure && !data ? (
        <Trouble failure={failure} again={again} />
      ) : data && !data.length ? (
        <Empty title={none} />
      ) : (
        <div class="scroll tall" tabIndex={0} role="region" aria-label={title}>
          <table class="table dense">
            <thead>
              <tr>
                {head.map((name) => (
                  <th scope="col" key={name}>{name || <span class="visually-hidden">Do</span>}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {!data && <SkeletonRows rows={4} columns={head.length} />}
              {data?.map(row)}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function Strays() {
  const loaded = useLoaded("strays", (signal) => market<Stray[]>("/v1/admin/strays?limit=50", { signal }), pace);
  const refund = (signature: string) =>
    attempt(async () => {
      await market(`/v1/admin/strays/${signature}/refunds`, { method: "POST", body: {} });
      loaded.again();
    }, "Refund opened");
  return (
    <List
      title="Strays"
      loaded={loaded}
      none="No stray payments"
      head={["Transaction", "Payer", "Amount", "Why", ""]}
      row={(stray) => (
        <tr key={stray.signature}>
          <td><Address value={stray.signature} /></td>
          <td><Address value={stray.payer} /></td>
          <td>{sol(stray.legs.reduce((sum, leg) => sum + leg.lamports, 0))}</td>
          <td>{stray.payments.map((payment) => payment.reason).join(", ")}</td>
          <td>{stray.legs.some((leg) => !leg.refund_id) && <Action class="small" run={() => refund(stray.signature)}>Refund</Action>}</td>
        </tr>
      )}
    />
  );
}

function Refunds() {
  const loaded = useLoaded("refunds", (signal) => market<Refund[]>("/v1/refunds?limit=50", { signal }), pace);
  return (
    <List
      title="Refunds"
      loaded={loaded}
      none="No refunds"
      head={["Opened", "Amount", "By", "To", "State"]}
      row={(refund) => (
        <tr key={refund.id}>
          <td>{date(refund.created_at)}</td>
          <td>{refund.amount_sol} SOL</td>
          <td>{refund.debtor}</td>
          <td><Address value={refund.creditor_wallet} /></td>
          <td><Tag kind={refund.status === "settled" ? "good" : "warn"}>{refund.status}</Tag></td>
        </tr>
      )}
    />
  );
}

const steered = (validator: string, action: "stop" | "lift-stop", again: () => void): Promise<void> =>
  attempt(
    async () => {
      await market(`/v1/admin/validators/${validator}/${action}`, { body: { reason: "by staff, in the console" } });
      again();
    },
    action === "stop" ? "Validator stopped" : "Stop lifted. The owner can list it again.",
  );

function Offers() {
  const loaded = useLoaded("all validators", (signal) => market<Validator[]>("/v1/validators?limit=50", { signal }), pace);
  const stop = async (one: Validator) => {
    if (confirm(`Stop ${one.name}? All of its leases will be revoked.`)) await steered(one.public_id, "stop", loaded.again);
  };
  return (
    <List
      title="Validators"
      loaded={loaded}
      none="No validators"
      head={["Name", "Region", "Price", "State", ""]}
      row={(one) => (
        <tr key={one.public_id}>
          <th scope="row"><a href={`/validators/${one.public_id}`}>{one.name}</a></th>
          <td>{one.region}</td>
          <td>{one.price_sol} SOL</td>
          <td><Tag kind={one.status === "listed" ? "good" : "bad"}>{one.status}</Tag></td>
          <td><Action class="small" run={() => stop(one)}>Stop</Action></td>
        </tr>
      )}
    />
  );
}

function Audit() {
  const loaded = useLoaded("audit", (signal) => market<Audited[]>("/v1/audit-log?limit=50", { signal }), pace);
  return (
    <List
      title="Audit log"
      loaded={loaded}
      none="Nothing yet"
      head={["When", "Action", "Subject", "Actor", ""]}
      row={(entry) => (
        <tr key={entry.public_id}>
          <td>{date(entry.at)}</td>
          <td class="mono">{entry.action}</td>
          <td>{entry.subject.kind} <Address value={entry.subject.id} /></td>
          <td>{entry.actor.kind}</td>
          <td>
            {entry.action === "validator.stopped" && (
              <Action class="small" run={() => steered(entry.subject.id, "lift-stop", loaded.again)}>
                Lift stop
              </Action>
            )}
          </td>
        </tr>
      )}
    />
  );
}
