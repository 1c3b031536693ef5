// The nodes that are asked, or how their calls went where the nodes are not named.
import { count } from "../../lib/format";
import type { Metrics } from "../../lib/metrics";
import type { Node } from "../../lib/readiness";
import { Empty } from "../../ui/parts";

export function Nodes({ nodes, metrics }: { nodes: Node[] | undefined; metrics: Metrics | undefined }) {
  if (nodes?.length)
    return (
      <ul class="parts">
        {nodes.map((node) => (
          <li key={node.name}>
            <span class={`dot ${node.problem ? "bad" : "good"}`} aria-hidden="true" />
            <strong>{node.name}</strong>
            <span class="soft">{node.problem ?? `block ${count(node.blockNumber)}`}</span>
          </li>
        ))}
      </ul>
    );
  const asked = metrics?.get("stoa_rpc_requests_total") ?? [];
  if (!asked.length) return <Empty title="Not shown here">Nodes and their failures are on the operator's listener.</Empty>;
  const methods = new Map<string, { good: number; bad: number }>();
  for (const { labels, value } of asked) {
    const method = methods.get(labels.method!) ?? { good: 0, bad: 0 };
    if (labels.outcome === "ok") method.good += value;
    else method.bad += value;
    methods.set(labels.method!, method);
  }
  return (
    <div class="scroll tall nodes" tabIndex={0} role="region" aria-label="Calls to nodes">
      <table class="table dense">
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col" class="number">Answered</th>
            <th scope="col" class="number">Failed</th>
          </tr>
        </thead>
        <tbody>
          {[...methods].sort((a, b) => b[1].good - a[1].good).map(([method, { good, bad }]) => (
            <tr key={method}>
              <th scope="row" class="mono">{method}</th>
              <td class="number">{count(good)}</td>
              <td class={`number ${bad ? "down" : ""}`}>{count(bad)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
