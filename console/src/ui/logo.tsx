// A token's picture, which the service itself draws: no address outside of it.
export const Logo = ({ address, size = 24 }: { address: string; size?: number }) => (
  <img class="logo" src={`/logo/${address}.svg`} width={size} height={size} alt="" loading="lazy" />
);
