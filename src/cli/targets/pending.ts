import type { Answer } from '../../contract/types/index.js';

/** `cpu and ram change at the next start: vc restart demo/desktop`; undefined if nothing is left. */
export function pendingNote(computer: Answer<'getComputer'>): string | undefined {
  const { pending = [], status, project_name, name } = computer;
  if (pending.length === 0) return undefined;
  const names = new Intl.ListFormat('en').format(pending);
  const verb = pending.length === 1 ? 'changes' : 'change';
  const next = status === 'stopped' ? 'start' : 'restart';
  return `${names} ${verb} at the next start: vc ${next} ${project_name}/${name}`;
}
