// A venue's name beside its colour.
import { venueColour } from "../lib/market";
import "../style/venue.css";

export const VenueName = ({ name, href }: { name: string; href?: string }) => {
  const parts = (
    <>
      <i style={{ background: venueColour(name) }} />
      {name}
    </>
  );
  return href ? <a class="venue" href={href}>{parts}</a> : <span class="venue">{parts}</span>;
};
