import { setTimeout as sleep } from 'node:timers/promises';
import type { MachineEvent } from '../engine.js';
import type { Machines } from './machines.js';

/** A directory that somebody removed is missed within this time; all else is heard of at once. */
const LOOK_EVERY_MS = 1_000;

/** Tells everybody who watches that a machine may be in another state. */
export class Changes {
  readonly #watchers = new Set<(id: string) => void>();

  tell(id: string): void {
    for (const watcher of [...this.#watchers]) watcher(id);
  }

  subscribe(watcher: (id: string) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/**
 * State changes from the moment of the first `next()`. Each is what the machine is when it is handed
 * out: what it was meanwhile, and is no more, is left out.
 */
export async function* watchMachines(
  machines: Machines,
  changes: Changes,
  signal: AbortSignal,
): AsyncIterable<MachineEvent> {
  const changed = new Set<string>();
  let wake: () => void = () => undefined;
  const end = changes.subscribe((id) => {
    changed.add(id);
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort, { once: true });
  const last = new Map<string, string>();
  const looking = look(machines, signal);
  try {
    for (const state of await machines.list()) last.set(state.id, text(state));
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
      const before = last.get(id) ?? text({ id, status: 'gone' });
      if (event.status === 'gone') last.delete(id);
      else last.set(id, text(event));
      if (text(event) !== before) yield event;
    }
  } finally {
    end();
    signal.removeEventListener('abort', onAbort);
    await looking;
  }
}

async function look(machines: Machines, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await machines.list().catch(() => undefined);
  }
}

function text(event: MachineEvent): string {
  return JSON.stringify([event.status, 'reason' in event ? event.reason : undefined]);
}
