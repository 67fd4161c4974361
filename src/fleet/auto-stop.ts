import type { Machines } from './machines.js';
import type { Log } from './reconcile.js';
import type { Store } from './store/index.js';

const CHECK_EVERY_MS = 15_000;

/** Stops computers that nobody asked anything of for their `auto_stop_minutes`. */
export function autoStop(store: Store, machines: Machines, log: Log): { stop(): void } {
  const timer = setInterval(() => {
    for (const record of store.computers.listAll()) {
      if (record.status !== 'running' || record.auto_stop_minutes === null) continue;
      const machine = machines.of(record);
      if (Date.now() - machine.session.lastUsed < record.auto_stop_minutes * 60_000) continue;
      log.info({ computer: record.id }, 'stopping it: nobody used it');
      machine.stop().catch((err) => log.warn({ computer: record.id, err }, 'auto-stop failed'));
    }
  }, CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
