import { type Ledger, SERVICE_KEY } from './ledger.js';
import type { Machines } from './machines.js';
import type { Log } from './reconcile.js';
import type { Store } from './store/index.js';
import type { ComputerRecord } from './store/records.js';

const CHECK_EVERY_MS = 15_000;

/** Stops computers that nobody asked anything of for their `auto_stop_minutes`. */
export function autoStop(parts: {
  readonly store: Store;
  readonly machines: Machines;
  readonly ledger: Ledger;
  readonly log: Log;
}): { stop(): void } {
  const { store, machines, ledger, log } = parts;
  const check = async (record: ComputerRecord, minutes: number) => {
    const machine = machines.of(record);
    if (machine.session.busy) machine.session.lastUsed = Date.now();
    if (Date.now() - machine.session.lastUsed < minutes * 60_000) return;
    log.info({ computer: record.id }, 'stopping it: nobody used it');
    const began = Date.now();
    await machine.stop();
    ledger.record({
      owner: { id: record.owner_id, keyId: SERVICE_KEY },
      computerId: record.id,
      action: 'autoStop',
      detail: {},
      outcome: 'ok',
      began,
    });
  };
  const checkAll = async () => {
    for (const record of store.computers.listAll()) {
      const { status, auto_stop_minutes: minutes } = record;
      if (status !== 'running' || minutes === null) continue;
      check(record, minutes).catch((err) => {
        log.warn({ computer: record.id, err }, 'auto-stop failed');
      });
    }
  };
  const timer = setInterval(() => {
    checkAll().catch((err) => log.warn({ err }, 'auto-stop failed'));
  }, CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
