import type { AuditEntry } from '../../api/types.js';
import { visible } from '../../state/visible.js';
import { computers, isListed } from '../../state/wall.js';
import { failureOf, tell } from './sentences.js';

/** A computer by its name and with a link, as long as it exists. */
export function ComputerLink({ id, name }: { id: string; name?: string | null }) {
  const known = computers.value.get(id);
  if (known === undefined) {
    return (
      <span class="muted">
        {visible(name ?? id)}
        {isListed.value && ' (deleted)'}
      </span>
    );
  }
  return <a href={`/computers/${id}`}>{visible(`${known.project_name}/${known.name}`)}</a>;
}

/** An entry of the audit log as a sentence. */
export function Sentence({ entry, count = 1 }: { entry: AuditEntry; count?: number }) {
  const { who, did, what } = tell(entry);
  const { computer_id, computer_name } = entry;
  const failure = failureOf(entry);
  return (
    <span class="break sentence">
      <bdi>{who}</bdi> {did}{' '}
      {computer_id === null ? (
        <bdi>{what}</bdi>
      ) : (
        <ComputerLink id={computer_id} name={computer_name} />
      )}
      {count > 1 && ` ${count} times`}
      {failure !== undefined && <span class="outcome bad">: {failure}</span>}
    </span>
  );
}
