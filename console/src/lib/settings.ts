// What the service says of itself in the page: words, before anything is asked.

const words = (document.querySelector<HTMLMetaElement>('meta[name="stoa"]')?.content ?? "").split(" ");

export const network = words.find((word) => word.startsWith("network:"))?.slice(8) ?? "starknet";
export const hasLeases = words.includes("leases");
export const hasFigures = words.includes("figures");
export const isSimulated = words.includes("simulated");
