import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessIdentity, processIs } from './identity.js';
import { type Ended, readRecord } from './record.js';

const LOOK_EVERY_MS = 250;
/** What waits for QEMU writes down how it ended within this time. */
const WRITTEN_WITHIN_MS = 2_000;

/**
 * Resolves when a machine's QEMU has ended, with how; also for one that an earlier service started,
 * whose parent this one is not.
 */
export async function waitForEnd(
  directory: string,
  identity: ProcessIdentity,
  signal?: AbortSignal,
): Promise<Ended> {
  const pause = (ms: number) => sleep(ms, undefined, signal ? { signal } : {});
  for (let ms = 5; await processIs(identity); ms = Math.min(2 * ms, LOOK_EVERY_MS)) await pause(ms);
  const deadline = performance.now() + WRITTEN_WITHIN_MS;
  do {
    const record = await readRecord(directory);
    if (record === undefined || !isSame(record.identity, identity)) break;
    if (record.ended !== undefined) return record.ended;
    await pause(10);
  } while (performance.now() < deadline);
  return { kind: 'unknown' };
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const { pid, startTime, bootId } = other;
  return one.pid === pid && one.startTime === startTime && one.bootId === bootId;
}
