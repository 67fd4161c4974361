import { onAbort } from '../../../lib/async/abort.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { MachineEvent } from '../../engine.js';
import type { MachineRegistry } from './registry.js';

/** Finds directories that were removed from outside; all other changes are notified at once. */
const POLL_MS = 1_000;

/** Notifies all watchers that a machine's state may have changed. */
export class ChangeNotifier {
  readonly #watchers = new Set<(id: string) => void>();

  notify(id: string): void {
    for (const watcher of [...this.#watchers]) watcher(id);
  }

  subscribe(watcher: (id: string) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/**
 * State changes from the first `next()` on. Each event is the machine's present state; states that
 * it had only in between are skipped.
 */
export async function* watchMachines(
  machines: MachineRegistry,
  changes: ChangeNotifier,
  signal: AbortSignal,
): AsyncIterable<MachineEvent> {
  const changed = new Set<string>();
  let wake: () => void = () => undefined;
  const unsubscribe = changes.subscribe((id) => {
    changed.add(id);
    wake();
  });
  const dispose = onAbort(signal, () => wake());
  const last = new Map<string, string>();
  const polling = poll(machines, signal);
  try {
    for (const state of await machines.list()) last.set(state.id, comparable(state));
    while (!signal.aborted) {
      const [id] = changed;
      if (id === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      changed.delete(id);
      const event = await machines.event(id);
      const before = last.get(id) ?? comparable({ id, status: 'gone' });
      if (event.status === 'gone') last.delete(id);
      else last.set(id, comparable(event));
      if (comparable(event) !== before) yield event;
    }
  } finally {
    unsubscribe();
    dispose();
    await polling;
  }
}

async function poll(machines: MachineRegistry, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(POLL_MS, signal).catch(() => undefined);
    if (!signal.aborted) await machines.list().catch(() => undefined);
  }
}

function comparable(event: MachineEvent): string {
  return JSON.stringify([event.status, 'reason' in event ? event.reason : undefined]);
}
