import type { Member } from '../../api/types.js';
import { Time } from '../../components/time.js';
import { computers } from '../../state/wall.js';

/** How far the drains of members are. */
export function Drains({ members }: { members: readonly Member[] }) {
  const drained = members.filter(({ drain }) => drain !== null);
  if (drained.length === 0) return null;
  return (
    <section>
      <h2>Drains</h2>
      <ul class="plain drains">
        {drained.map((member) => (
          <Progress key={member.name} of={member} />
        ))}
      </ul>
    </section>
  );
}

function Progress({ of: { name, drain, computer_count: left } }: { of: Member }) {
  if (drain === null) return null;
  const { since, moving, failed } = drain;
  return (
    <li>
      <p>
        <strong class="break">{name}</strong>{' '}
        {left === 0
          ? 'has no computers any more'
          : `has ${left} ${left === 1 ? 'computer' : 'computers'} left`}
        {moving !== null && (
          <>
            , <Named id={moving} /> is being moved
          </>
        )}
        <span class="muted">
          ; requested <Time at={since} />
        </span>
      </p>
      {left > 0 && moving !== null && <progress aria-label={`${name} is being drained`} />}
      {failed.length > 0 && (
        <>
          <p class="outcome bad">
            Not moved; the service tries again. Choose <em>Try again…</em> to do it now.
          </p>
          <ul class="plain rows">
            {failed.map(({ id, error }) => (
              <li key={id}>
                <Named id={id} />
                <span class="break">{error}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </li>
  );
}

/** A computer by its name, or by its id if it is of another owner. */
function Named({ id }: { id: string }) {
  const computer = computers.value.get(id);
  if (computer === undefined) return <code class="id">{id}</code>;
  return (
    <a class="break" href={`/computers/${id}`}>
      {computer.project_name}/{computer.name}
    </a>
  );
}
