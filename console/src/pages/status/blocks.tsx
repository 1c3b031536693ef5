// The newest blocks and how long each took, drawn and as a table.
import { count, time } from "../../lib/format";
import { blocks, type Block } from "../../lib/live";

const SLOTS = 27;
const USUAL_MS = 4_000;

interface Wait {
  block: Block;
  milliseconds: number;
}

/** Only of blocks whose predecessor was seen, too. */
const waits = (seen: Block[]): Wait[] =>
  seen.flatMap((block, at) => {
    const before = seen[at - 1];
    return before && before.number + 1 === block.number ? [{ block, milliseconds: Math.max(block.seen - before.seen, 0) }] : [];
  });

const seconds = (wait: Wait): string => `${(wait.milliseconds / 1000).toFixed(1)} s`;

export function BlockTimes() {
  const shown = waits(blocks.value);
  const longest = Math.max(USUAL_MS, ...shown.map((wait) => wait.milliseconds));
  return (
    <>
      <ol class="strip" aria-hidden="true">
        {Array.from({ length: SLOTS - shown.length }, (_, at) => <li key={at} />)}
        {shown.map((wait) => (
          <li key={wait.block.hash} class={wait.block.replaced ? "replaced" : ""} title={`#${wait.block.number} at ${time(wait.block.seen)}, after ${seconds(wait)}`}>
            <i style={{ height: `${Math.max((wait.milliseconds / longest) * 100, 4)}%` }} />
          </li>
        ))}
      </ol>
      <details class="as-table">
        <summary>Block times as a table</summary>
        <BlockTable shown={shown} />
      </details>
    </>
  );
}

const BlockTable = ({ shown }: { shown: Wait[] }) => (
  <table class="table dense">
    <thead>
      <tr>
        <th scope="col">Block</th>
        <th scope="col" class="number">Seen at</th>
        <th scope="col" class="number">After</th>
      </tr>
    </thead>
    <tbody>
      {shown.toReversed().map((wait) => (
        <tr key={wait.block.hash}>
          <th scope="row">
            #{count(wait.block.number)} {wait.block.replaced && <span class="down">replaced another</span>}
          </th>
          <td class="number">{time(wait.block.seen)}</td>
          <td class="number">{seconds(wait)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
