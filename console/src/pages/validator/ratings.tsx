// What those who leased a validator say of it.
import { date } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { market } from "../../lib/session";
import { Panel } from "../../ui/parts";

interface Rating {
  public_id: string;
  stars: number;
  comment: string | null;
  created_at: string;
  reply: { text: string } | null;
}

export function Ratings({ id }: { id: string }) {
  const { data } = useLoaded(`ratings ${id}`, (signal) => market<Rating[]>(`/v1/validators/${id}/ratings?limit=20`, { signal, bearer: null }));
  if (!data?.length) return null;
  return (
    <Panel title="Ratings">
      <ul class="ratings">
        {data.map((one) => (
          <li key={one.public_id}>
            <span class="stars" role="img" aria-label={`${one.stars} of 5 stars`}>
              {"★".repeat(one.stars)}
              <span>{"★".repeat(5 - one.stars)}</span>
            </span>
            <small>{date(one.created_at)}</small>
            {one.comment && <p>{one.comment}</p>}
            {one.reply && <p class="soft">Reply: {one.reply.text}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
