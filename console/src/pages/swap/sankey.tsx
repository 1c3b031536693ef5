// A route drawn: tokens as columns, swaps between them, as thick as what passes. The
// library is loaded with this file alone.
import { sankey, sankeyLinkHorizontal, type SankeyGraph, type SankeyNode } from "d3-sankey";
import { useEffect, useRef, useState } from "preact/hooks";
import { shown } from "../../lib/amount";
import { venueColour } from "../../lib/market";
import { flows, type Flow, type Quote } from "../../lib/quote";
import { amount, decimalsOf, symbol } from "../../lib/tokens";

interface Node {
  id: string;
  label: string;
  /** What passes, where it is told. */
  detail: string | null;
  flow?: Flow;
}
interface Link {
  source: string;
  target: string;
  value: number;
  venue: string;
}

const MARGIN = 8;
/** Between two columns, so that what is written between them does not touch the second. */
const ROOM_FOR_NAME = 70;
const ROOM_FOR_NUMBER = 84;
const ROOM_FOR_BOTH = 100;
const ROOM_FOR_AMOUNT = 120;
/** Nothing may vanish, however little passes. */
const THINNEST = 0.004;
/** A node of this height has room for two lines. */
const TWO_LINES = 18;
const LINE = 15;

/** How much of a token passes through the whole route. */
function passing(token: string, quote: Quote, steps: Flow[]): string | null {
  const whole = (units: bigint) => shown(units, decimalsOf(token));
  if (token === quote.sellTokenAddress) return whole(BigInt(quote.sellAmount));
  if (token === quote.buyTokenAddress) return whole(BigInt(quote.buyAmount));
  const bought = steps.filter((step) => step.to === token).map((step) => step.buyAmount);
  return bought.some((units) => units === null) ? null : whole(bought.reduce<bigint>((sum, units) => sum + units!, 0n));
}

function graph(quote: Quote, width: number, height: number): SankeyGraph<Node, Link> {
  const steps = flows(quote);
  const tokens = [...new Set(steps.flatMap((step) => [step.from, step.to]))];
  const nodes: Node[] = [
    ...tokens.map((id) => ({ id, label: symbol(id), detail: passing(id, quote, steps) })),
    ...steps.map((flow) => ({ id: flow.key, label: flow.venue, detail: flow.sellAmount === null ? null : amount(flow.sellAmount, flow.from), flow })),
  ];
  const links: Link[] = steps.flatMap((step) => {
    const value = Math.max(step.share, THINNEST);
    return [
      { source: step.from, target: step.key, value, venue: step.venue },
      { source: step.key, target: step.to, value, venue: step.venue },
    ];
  });
  return sankey<Node, Link>()
    .nodeId((node) => node.id)
    .nodeWidth(10)
    .nodePadding(steps.length > 8 ? 16 : 24)
    .extent([[MARGIN, 14], [width - MARGIN, height - 14]])({ nodes, links });
}

export function RouteSankey({ quote }: { quote: Quote }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, []);
  const height = Math.max(220, Math.min(460, 120 + flows(quote).length * 34));
  return (
    <div class="sankey" ref={place}>
      {width > 0 && <Drawing quote={quote} width={width} height={height} />}
    </div>
  );
}

function Drawing({ quote, width, height }: { quote: Quote; width: number; height: number }) {
  const { nodes, links } = graph(quote, width, height);
  const line = sankeyLinkHorizontal<Node, Link>();
  const columns = Math.max(...nodes.map((node) => node.depth ?? 0));
  const room = (width - 2 * MARGIN) / columns;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`The route in ${flows(quote).length} swaps; the table below lists every one of them`}>
      {links.map((link, at) => (
        <path key={at} class="flow" d={line(link) ?? ""} stroke-width={Math.max(link.width ?? 1, 1.5)} style={{ stroke: venueColour(link.venue) }} />
      ))}
      {nodes.map((node) => (
        <Bar key={node.id} node={node} />
      ))}
      {nodes.map((node) => (
        <Label key={node.id} node={node} room={room} isLast={node.depth === columns} />
      ))}
    </svg>
  );
}

type Placed = SankeyNode<Node, Link>;

function Bar({ node }: { node: Placed }) {
  const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = [node.x0, node.x1, node.y0, node.y1];
  const { flow } = node;
  return (
    <rect x={x0} y={y0} width={x1 - x0} height={Math.max(y1 - y0, 2)} rx="2" class={flow ? "" : "token"} style={flow ? { fill: venueColour(node.label) } : undefined}>
      {flow && <title>{`${flow.venue}: ${amount(flow.sellAmount, flow.from)} for ${amount(flow.buyAmount, flow.to)}`}</title>}
    </rect>
  );
}

/** Names and amounts, as far as there is room until the next column. */
function Label({ node, room, isLast }: { node: Placed; room: number; isLast: boolean }) {
  const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = [node.x0, node.x1, node.y0, node.y1];
  const { flow } = node;
  const isAtEnd = isLast || node.depth === 0;
  if (flow && room < ROOM_FOR_NAME) return null;
  const share = flow && `${(flow.share * 100).toFixed(1)}%`;
  const isBeside = room >= ROOM_FOR_BOTH;
  const hasRoom = isAtEnd || room >= (flow ? ROOM_FOR_AMOUNT : ROOM_FOR_NUMBER);
  const below = hasRoom ? node.detail : isBeside ? null : share;
  const detail = y1 - y0 >= TWO_LINES ? below : null;
  const x = isLast ? x0 - 6 : x1 + 6;
  return (
    <text x={x} y={(y0 + y1) / 2 - (detail ? LINE / 2 : 0)} dy="0.34em" text-anchor={isLast ? "end" : "start"} class={flow ? "" : "token-label"}>
      {node.label}
      {share && isBeside && <tspan class="amount"> {share}</tspan>}
      {detail && (
        <tspan class="amount" x={x} dy={LINE}>
          {detail}
        </tspan>
      )}
    </text>
  );
}
