import { ApiError } from '../../contract/errors.js';
import type { Probe } from '../engine.js';
import type { Host } from './host.js';

const PROBE_MS = 4_000;

/** Can QEMU be used here, and how fast is it? Never throws. */
export async function probeQemu(host: Host): Promise<Probe> {
  try {
    const version = await host.version();
    const slow = 'not tried yet';
    const kind = await within(
      PROBE_MS,
      host.acceleration().then(({ kind }) => (kind === 'kvm' ? 'KVM' : 'emulated')),
      slow,
    );
    const network = await within(
      PROBE_MS,
      host.network().then(({ mode }) => mode),
      slow,
    );
    const detail = `QEMU ${version}, processor: ${kind}, network: ${network}`;
    return { usable: true, version, detail };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    // The message ends with the remedy, which has a field of its own here.
    const reason = error instanceof ApiError ? words.replace(/\.? Try: .*$/, '') : words;
    return { usable: false, reason, remedy: 'vc setup --engine qemu' };
  }
}

/** `late` when it takes longer; what was begun goes on. */
async function within<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
