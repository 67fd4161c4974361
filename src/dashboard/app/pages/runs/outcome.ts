import type { RunTask } from '../../api/types.js';

/** The status of a task; one whose run has ended without it was interrupted. */
export function outcomeOf({ status, computer_id: computer }: RunTask) {
  return status === 'running' && computer === null ? 'interrupted' : status;
}

/** `8 of 10 passed, 1 failed, 1 running`. */
export function summary(tasks: readonly RunTask[]): string {
  const counts = new Map<string, number>();
  for (const task of tasks) {
    const outcome = outcomeOf(task);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const passed = `${counts.get('passed') ?? 0} of ${tasks.length} passed`;
  const others = ['failed', 'error', 'running', 'waiting', 'interrupted'].flatMap((outcome) =>
    counts.has(outcome)
      ? [`${counts.get(outcome)} ${outcome === 'error' ? 'with errors' : outcome}`]
      : [],
  );
  return [passed, ...others].join(', ');
}
