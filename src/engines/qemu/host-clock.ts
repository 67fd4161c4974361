import { sleep } from '../../lib/async/sleep.js';
import type { MachineRecord } from './machine/machine-record.js';
import type { QemuProcess } from './machine/qemu-process.js';
import type { MachineRegistry } from './machine/registry.js';

const LOOK_MS = 2_000;
/** Corrections of a time server are far smaller in two looks. */
const JUMP_MS = 500;

/** The clocks of this host, in milliseconds. */
export interface HostClocks {
  wall(): number;
  /** Stands still while the host is suspended. */
  monotonic(): number;
}

const CLOCKS: HostClocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * Calls `onJump` when the wall clock has jumped: the host was suspended, or its clock was set. The
 * clocks of guests do not follow. If it fails, it is called again at the next look. Ends with the
 * signal.
 */
export async function watchHostClock(
  onJump: () => Promise<void>,
  signal: AbortSignal,
  clocks: HostClocks = CLOCKS,
  lookMs = LOOK_MS,
): Promise<void> {
  const difference = () => clocks.wall() - clocks.monotonic();
  let before = difference();
  while (!signal.aborted) {
    await sleep(lookMs, signal);
    const now = difference();
    if (Math.abs(now - before) < JUMP_MS) continue;
    await onJump().then(
      () => {
        before = now;
      },
      () => undefined,
    );
  }
}

/** Calls `set` for all machines that run, not within their operations: a guest may answer late. */
export async function setClocks(
  machines: Pick<MachineRegistry, 'list' | 'withMachine'>,
  set: (qemu: QemuProcess, record: MachineRecord) => Promise<void>,
): Promise<void> {
  const running = (await machines.list()).filter(({ status }) => status === 'running');
  const setOne = async (id: string) => {
    const { qemu, record } = await machines.withMachine(id, async ({ qemu }, record) => ({
      qemu,
      record,
    }));
    if (qemu !== undefined) await set(qemu, record);
  };
  // One may have been removed meanwhile.
  await Promise.allSettled(running.map(({ id }) => setOne(id)));
}
