import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { sleep } from '../../../lib/async/sleep.js';
import { signalProcess } from '../../../lib/process/identity.js';
import { generateKeyPair } from '../../../shell/keys.js';
import type { Channel, MachineDescription, MachineSpec, WarmUp } from '../../engine.js';
import { ensureDirectory, removeDirectory } from '../disk/files.js';
import { shellAccess } from '../guest/dial.js';
import type { QemuHost } from '../host.js';
import { macAddress } from '../ids.js';
import { createMachine } from '../machine/create.js';
import { QemuMachine } from '../machine/qemu-machine.js';
import { startMachine } from '../machine/start-stop.js';
import { refreshNetwork } from '../network/refresh.js';
import type { Templates } from '../snapshots/templates/templates.js';

const STATUS_MS = 2_000;

export interface WarmMachineParts {
  readonly host: QemuHost;
  readonly serviceId: string;
  readonly templates: Pick<Templates, 'linkTemplate' | 'keyOf'>;
  readonly pixels: MachineDescription['pixels'];
  dial(machine: QemuMachine, channel: Channel, signal: AbortSignal): Promise<Duplex>;
  /** Does what clients usually do first; closes the connections it opens. */
  warmUp?(warmUp: WarmUp): Promise<void>;
}

const WARM_UP_MS = 60_000;
/** Time for the guest to notice that the connections of the warm-up are closed. */
const DISCONNECT_MS = 300;

/** Creates a machine like `spec`, resumes it from its template, warms it up and pauses it. */
export async function createWarmMachine(
  id: string,
  spec: MachineSpec,
  parts: WarmMachineParts,
  signal: AbortSignal,
): Promise<QemuMachine> {
  const { host } = parts;
  await ensureDirectory(host.layout.pool);
  const { publicKey, privateKey } = generateKeyPair();
  const machine = new QemuMachine(id, host.layout.warmMachine(id), NO_LISTENERS);
  try {
    await createMachine(machine, parts, { ...spec, id, authorizedKey: publicKey });
    await startMachine(machine, { host, templates: templateOnly(parts.templates) }, signal);
    const access = machine.record && shellAccess(machine.record);
    await parts.warmUp?.({
      dial: (channel) => parts.dial(machine, channel, signal),
      access: access && { privateKey, ...access },
      pixels: parts.pixels,
      signal: AbortSignal.any([signal, AbortSignal.timeout(WARM_UP_MS)]),
    });
    await sleep(DISCONNECT_MS, signal);
    await machine.qemu?.execute('stop', undefined, { signal });
    return machine;
  } catch (error) {
    await machine.qemu?.end(0).catch(() => undefined);
    await removeDirectory(machine.directory);
    throw error;
  }
}

/**
 * Fails instead of booting. A failure does not count against the template: it may be the pool's
 * own, and other machines can still start from the template.
 */
function templateOnly(
  templates: WarmMachineParts['templates'],
): Parameters<typeof startMachine>[1]['templates'] {
  return {
    linkTemplate: async (machine, signal) => {
      const template = await templates.linkTemplate(machine, signal);
      if (template === null) throw new Error('its template does not exist');
      return template;
    },
    reportFailure: async (_, reason) => {
      throw reason;
    },
    reportSuccess: () => undefined,
    buildInBackground: async () => undefined,
  };
}

const NO_LISTENERS = {
  onChange: () => undefined,
  onReset: async () => undefined,
  onHangUp: () => undefined,
};

/**
 * Turns a warm machine into `machine`: writes the machine's record into its directory, then renames
 * the directory, which its running QEMU does not notice. After a crash before the rename the next
 * service removes the warm machine; after a crash behind it the machine exists and is stopped.
 * When it rejects, the caller can remove both.
 */
export async function claimWarmMachine(
  warm: QemuMachine,
  machine: QemuMachine,
  spec: MachineSpec,
): Promise<void> {
  const { qemu, pauseReason } = warm;
  const status = await qemu?.status({ timeoutMs: STATUS_MS });
  if (qemu === undefined || status !== 'paused' || pauseReason !== undefined) {
    throw new Error(pauseReason ?? `it is ${status ?? 'gone'}`);
  }
  await warm.write({
    spec,
    intended: 'stopped',
    used: false,
    failure: null,
    resume: 'pool',
    resumeMac: macAddress(warm.id),
    process: qemu.identity,
  });
  await machine.qemu?.end(0);
  await removeDirectory(machine.directory);
  machine.forget();
  await ensureDirectory(dirname(machine.directory));
  // QEMU's monitor accepts one client at a time.
  qemu.release();
  await rename(warm.directory, machine.directory);
  warm.forget();
  try {
    await machine.load();
    if (machine.qemu === undefined) throw new Error('its QEMU has exited');
    // The host's addresses may have changed since the rules were loaded.
    const { network } = qemu;
    machine.qemu.network = network && (await refreshNetwork(qemu.identity, network));
  } catch (error) {
    // When the directory is created again, nothing refers to this process.
    await signalProcess(qemu.identity, 'SIGKILL');
    throw error;
  }
}
