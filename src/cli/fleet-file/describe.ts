import type { Step } from './plan.js';

/** What a step is called before and after it is carried out. */
const VERBS = {
  create: ['create', 'created'],
  recreate: ['recreate', 'recreated'],
  update: ['update', 'updated'],
  start: ['start', 'started'],
  remove: ['remove', 'removed'],
  none: ['keep', 'unchanged'],
} as const;

/** The option without which a step that loses a disk is not carried out. */
export const NEEDED = { recreate: '--recreate', remove: '--remove-orphans' } as const;

/** `would recreate fleet/web (cpu), with --recreate`. */
export function wouldDo(step: Step, project: string): string {
  const { action } = step;
  const shown = `${project}/${step.name}`;
  if (action === 'none') return `unchanged ${shown}`;
  const option = action === 'recreate' || action === 'remove' ? `, with ${NEEDED[action]}` : '';
  const { instead } = step;
  const without =
    instead === undefined || instead.action === 'none'
      ? ''
      : `, and without it ${VERBS[instead.action][0]} it${changesOf(instead)}`;
  return `would ${VERBS[action][0]} ${shown}${changesOf(step)}${option}${without}`;
}

/** `updated fleet/web (labels)`. */
export function did(step: Pick<Step, 'name' | 'action' | 'changes'>, project: string): string {
  return `${VERBS[step.action][1]} ${project}/${step.name}${changesOf(step)}`;
}

/** Why a computer was kept as it is. */
export function kept(step: Omit<Step, 'instead'>, project: string, file: string): string {
  const { action, changes, existing } = step;
  const shown = `kept ${project}/${step.name}, which`;
  if (action === 'remove')
    return `${shown} is not in ${file}; to remove it: vc up ${NEEDED.remove}`;
  const why =
    existing?.status === 'error'
      ? `has failed: ${existing.status_reason ?? 'unknown reason'}`
      : `differs (${changes.join(', ')})`;
  return `${shown} ${why}; to recreate it with an empty disk: vc up ${NEEDED.recreate}`;
}

function changesOf({ action, changes }: Pick<Step, 'action' | 'changes'>): string {
  return changes.length === 0 || action === 'start' ? '' : ` (${changes.join(', ')})`;
}
