// Line icons on a grid of 20, drawn for this console.

export const icons = {
  menu: "M3 6h14M3 10h14M3 14h14",
  close: "M5 5l10 10M15 5L5 15",
  tokens: "M10 3a7 7 0 1 0 0 14a7 7 0 0 0 0-14M7 10h6M10 7v6",
  pools: "M3 8c2-2 3.500-2 5 0s3 2 5 0 3-1.500 4-.5M3 13c2-2 3.500-2 5 0s3 2 5 0 3-1.500 4-.5",
  venues: "M3 17h14M4 17V8l6-4 6 4v9M8 17v-5h4v5",
  swap: "M4 7h11l-3-3M16 13H5l3 3",
  orders: "M4 5h12M4 10h12M4 15h7M14 13.500v3l2 1",
  staking: "M10 3l7 4-7 4-7-4 7-4M3 10.500l7 4 7-4M3 14l7 4 7-4",
  paymaster: "M3 6h14v9H3zM3 9h14M6 12.500h3",
  validators: "M10 3l6 2.500V10c0 3.500-2.500 6-6 7.500C6.500 16 4 13.500 4 10V5.500zM7.500 10l2 2 3.500-4",
  leases: "M4 5h12v12H4zM4 9h12M7.500 3v4M12.500 3v4",
  staff: "M10 10a3 3 0 1 0 0-6a3 3 0 0 0 0 6M4 17c0-3 2.500-5 6-5s6 2 6 5",
  status: "M3 11h3l2-5 4 9 2-4h3",
  simulator: "M4 4h12v9H4zM7 17h6M10 13v4M8 7l3 1.500L8 10z",
  docs: "M5 3h7l3 3v11H5zM12 3v3h3M8 10h4M8 13h4",
  system: "M3 4h14v9H3zM7 17h6M10 13v4",
  light: "M10 6.500a3.500 3.500 0 1 0 0 7a3.500 3.500 0 0 0 0-7M10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1 1M14.700 14.700l1 1M15.700 4.300l-1 1M5.300 14.700l-1 1",
  dark: "M16 12.500A6.500 6.500 0 0 1 7.500 4a6.500 6.500 0 1 0 8.500 8.500",
  search: "M9 4a5 5 0 1 0 0 10a5 5 0 0 0 0-10M13 13l4 4",
  flip: "M7 4v12M7 16l-3-3M13 16V4M13 4l3 3",
};

export const Icon = ({ path }: { path: string }) => (
  <svg class="icon" viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
    <path d={path} />
  </svg>
);
