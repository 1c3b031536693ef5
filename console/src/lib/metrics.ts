// Figures in Prometheus' text format, as far as the page shows them.

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

export type Metrics = ReadonlyMap<string, Sample[]>;

export function parse(text: string): Metrics {
  const found = new Map<string, Sample[]>();
  for (const line of text.split("\n")) {
    const match = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match) continue;
    const labels: Record<string, string> = {};
    for (const [, name, value] of (match[2] ?? "").matchAll(/([a-z_]+)="([^"]*)"/g)) labels[name!] = value!;
    const samples = found.get(match[1]!) ?? [];
    samples.push({ labels, value: Number(match[3]) });
    found.set(match[1]!, samples);
  }
  return found;
}

export const sum = (metrics: Metrics | undefined, name: string, fits: (sample: Sample) => boolean = () => true): number =>
  (metrics?.get(name) ?? []).filter(fits).reduce((total, sample) => total + sample.value, 0);

/** The bound below which a share of a histogram's observations lies; null if there are none. */
export function quantile(metrics: Metrics | undefined, name: string, share: number): number | null {
  const buckets = (metrics?.get(`${name}_bucket`) ?? [])
    .map((sample) => ({ bound: sample.labels.le === "+Inf" ? Infinity : Number(sample.labels.le), count: sample.value }))
    .sort((a, b) => a.bound - b.bound);
  const all = buckets.at(-1)?.count ?? 0;
  if (!all) return null;
  return buckets.find((bucket) => bucket.count >= all * share)?.bound ?? null;
}
