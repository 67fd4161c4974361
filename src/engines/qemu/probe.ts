import { ApiError } from '../../contract/errors.js';
import { resolvesWithin } from '../../lib/async/deadline.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Probe } from '../engine.js';
import type { QemuHost } from './host.js';

const PROBE_MS = 4_000;

/** Can QEMU be used here, and how fast is it? Never throws. */
export async function probeQemu(host: QemuHost): Promise<Probe> {
  try {
    const version = await host.version();
    const processor = await unlessSlow(
      host.acceleration().then(({ kind }) => (kind === 'kvm' ? 'KVM' : 'emulated')),
    );
    const network = await unlessSlow(host.network().then(({ mode }) => mode));
    const detail = `QEMU ${version}, processor: ${processor}, network: ${network}`;
    return { usable: true, version, detail };
  } catch (error) {
    const remedy = error instanceof ApiError ? error.remedy : undefined;
    const fallback = 'vc setup --engine qemu';
    return { usable: false, reason: errorMessage(error), remedy: remedy ?? fallback };
  }
}

async function unlessSlow(answer: Promise<string>): Promise<string> {
  return (await resolvesWithin(answer, PROBE_MS)) ? answer : 'not tried yet';
}
