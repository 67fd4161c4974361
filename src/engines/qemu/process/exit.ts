import { sleep } from '../../../lib/async/sleep.js';
import { type ProcessIdentity, processIs } from '../../../lib/process/identity.js';
import { type ProcessExit, readProcessRecord } from './process-record.js';

const FIRST_POLL_MS = 5;
const POLL_MS = 250;
/** The supervisor records how QEMU ended within this time. */
const RECORDED_WITHIN_MS = 2_000;

/**
 * Resolves with how a machine's QEMU ended, once it has. Polls /proc, because the QEMU may be the
 * child of an earlier service.
 */
export async function waitForExit(
  directory: string,
  identity: ProcessIdentity,
  signal?: AbortSignal,
): Promise<ProcessExit> {
  for (let ms = FIRST_POLL_MS; await processIs(identity); ms = Math.min(2 * ms, POLL_MS)) {
    await sleep(ms, signal);
  }
  const deadline = performance.now() + RECORDED_WITHIN_MS;
  do {
    const record = await readProcessRecord(directory);
    if (record === undefined || !isSame(record.identity, identity)) break;
    if (record.exited !== undefined) return record.exited;
    await sleep(10, signal);
  } while (performance.now() < deadline);
  return { kind: 'unknown' };
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const { pid, startTime, bootId } = other;
  return one.pid === pid && one.startTime === startTime && one.bootId === bootId;
}
