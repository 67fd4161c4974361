import type { AuditEntry } from '../../api/types.js';
import { visible } from '../../state/visible.js';
import { computers } from '../../state/wall.js';
import { tell } from './sentences.js';

/** A computer by its name and with a link, as long as it exists. */
export function ComputerLink({ id, name }: { id: string; name?: string | undefined }) {
  const known = computers.value.get(id);
  if (known === undefined) return <span class="muted">{visible(name ?? id)} (deleted)</span>;
  return <a href={`/computers/${id}`}>{visible(`${known.project_name}/${known.name}`)}</a>;
}

/** The name of the computer, if the entry has it; other entries have the name of a snapshot or an image. */
function nameIn({ action, detail }: AuditEntry): string | undefined {
  const isOfComputer = /^(create|update|delete)Computer/.test(action);
  return isOfComputer && typeof detail.name === 'string' ? detail.name : undefined;
}

/** Names of deleted computers in the entries that were shown, by id. */
const names = new Map<string, string>();

/** An entry of the audit log as a sentence. */
export function Sentence({ entry, count = 1 }: { entry: AuditEntry; count?: number }) {
  const { who, did, what } = tell(entry);
  const { computer_id, outcome } = entry;
  const name = nameIn(entry);
  if (computer_id !== null && name !== undefined) names.set(computer_id, name);
  const isFailed = outcome !== 'ok' && outcome !== 'cancelled';
  return (
    <span class="break sentence">
      <bdi>{who}</bdi> {did}{' '}
      {computer_id === null ? (
        <bdi>{what}</bdi>
      ) : (
        <ComputerLink id={computer_id} name={names.get(computer_id)} />
      )}
      {count > 1 && ` ${count} times`}
      {isFailed && <span class="outcome bad">: {outcome.replaceAll('_', ' ')}</span>}
    </span>
  );
}
