// A route drawn: tokens as columns, swaps between them, as thick as what passes.
import { sankey, sankeyLinkHorizontal, type SankeyGraph } from "d3-sankey";
import { useEffect, useRef, useState } from "preact/hooks";
import { shown } from "../lib/amount";
import { venueColour } from "../lib/market";
import { flows, type Flow, type Quote } from "../lib/quote";
import { symbol, tokens } from "../lib/tokens";

interface Node {
  id: string;
  label: string;
  token: boolean;
  flow?: Flow;
}
interface Link {
  source: string;
  target: string;
  value: number;
  venue: string;
}

const NARROW = 560;
const MARGIN = 8;

function graph(quote: Quote, width: number, height: number): SankeyGraph<Node, Link> {
  const steps = flows(quote);
  const names = [...new Set(steps.flatMap((step) => [step.from, step.to]))];
  const nodes: Node[] = [
    ...names.map((id) => ({ id, label: symbol(id), token: true })),
    ...steps.map((flow) => ({ id: flow.key, label: flow.venue, token: false, flow })),
  ];
  // Nothing may vanish, however little passes.
  const value = (step: Flow) => Math.max(step.share, 0.004);
  const links: Link[] = steps.flatMap((step) => [
    { source: step.from, target: step.key, value: value(step), venue: step.venue },
    { source: step.key, target: step.to, value: value(step), venue: step.venue },
  ]);
  const layout = sankey<Node, Link>()
    .nodeId((node) => node.id)
    .nodeWidth(10)
    .nodePadding(steps.length > 8 ? 14 : 22)
    .extent([[MARGIN, 14], [width - MARGIN, height - 14]]);
  return layout({ nodes, links });
}

export function RouteSankey({ quote }: { quote: Quote }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, []);
  const steps = flows(quote).length;
  const height = Math.max(220, Math.min(460, 120 + steps * 34));
  return (
    <div class="sankey" ref={place}>
      {width > 0 && <Drawing quote={quote} width={width} height={height} />}
    </div>
  );
}

function Drawing({ quote, width, height }: { quote: Quote; width: number; height: number }) {
  const { nodes, links } = graph(quote, width, height);
  const line = sankeyLinkHorizontal<Node, Link>();
  const narrow = width < NARROW;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`The route in ${flows(quote).length} swaps; the table below has every one of them`}>
      {links.map((link, at) => (
        <path key={at} class="flow" d={line(link) ?? ""} stroke-width={Math.max(link.width ?? 1, 1.5)} style={{ stroke: venueColour(link.venue) }} />
      ))}
      {nodes.map((node) => {
        const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = [node.x0, node.x1, node.y0, node.y1];
        const middle = (y0 + y1) / 2;
        const atEnd = x1 > width * 0.85;
        const anchor = atEnd ? "end" : "start";
        const x = atEnd ? x0 - 6 : x1 + 6;
        const percent = `${((node.flow?.share ?? 0) * 100).toFixed(1)}%`;
        return (
          <g key={node.id}>
            <rect x={x0} y={y0} width={x1 - x0} height={Math.max(y1 - y0, 2)} rx="2" class={node.token ? "token" : "venue-node"} style={node.flow ? { fill: venueColour(node.label) } : undefined} />
            {(node.token || !narrow) && (
              <text x={x} y={middle} dy="0.34em" text-anchor={anchor} class={node.token ? "token-label" : "venue-label"}>
                {node.label}
                {node.flow && <tspan class="amount"> {percent}</tspan>}
              </text>
            )}
            {node.flow && <title>{words(node.flow)}</title>}
          </g>
        );
      })}
    </svg>
  );
}

function words(flow: Flow): string {
  const amount = (value: bigint | null, token: string) =>
    value === null ? symbol(token) : `${shown(value, tokens.value.get(token)?.decimals ?? 18)} ${symbol(token)}`;
  return `${flow.venue}: ${amount(flow.sellAmount, flow.from)} for ${amount(flow.buyAmount, flow.to)}`;
}
