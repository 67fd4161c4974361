import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeyPair } from '../../../shell/keys.js';
import type { Channel, EngineFeatures, MachineSpec, ShellAccess } from '../../engine.js';
import { shellAccess } from '../dial.js';
import { ensureDirectory, removeDirectory } from '../files.js';
import type { Host } from '../host.js';
import { QemuMachine } from '../machine.js';
import { make } from '../making.js';
import { startMachine } from '../starting.js';
import type { Templates } from '../templates/index.js';

/** A machine that nobody has, and how to log in to it. */
export interface Rehearsal {
  dial(channel: Channel): Promise<Duplex>;
  /** Undefined when its image has no SSH server. */
  readonly access: (ShellAccess & { readonly privateKey: string }) | undefined;
  /** As in {@link EngineFeatures}. */
  readonly pixels: EngineFeatures['pixels'];
  readonly signal: AbortSignal;
}

export interface SpareParts {
  readonly host: Host;
  readonly serviceId: string;
  readonly templates: Pick<Templates, 'offer' | 'keyOf'>;
  readonly pixels: EngineFeatures['pixels'];
  dial(machine: QemuMachine, channel: Channel, signal: AbortSignal): Promise<Duplex>;
  /** Does what a machine is asked for first; closes what it opens. */
  rehearse?(rehearsal: Rehearsal): Promise<void>;
}

const REHEARSAL_MS = 60_000;
/** In which the guest notices that the rehearsal's connections are over. */
const FAREWELL_MS = 300;

/** Starts a machine of nobody's from a template, uses it once, and stops its processors. */
export async function prepareSpare(
  id: string,
  like: MachineSpec,
  parts: SpareParts,
  signal: AbortSignal,
): Promise<QemuMachine> {
  const { host, templates } = parts;
  await ensureDirectory(host.layout.spares);
  const { publicKey, privateKey } = generateKeyPair();
  const spare = new QemuMachine(id, host.layout.spare(id), SILENT);
  try {
    await make(spare, parts, { ...like, id, authorizedKey: publicKey });
    const offer: Templates['offer'] = async (machine, aborted) => {
      const template = await templates.offer(machine, aborted);
      if (template === null) throw new Error('there is no template to make it from');
      return template;
    };
    const nothing = () => undefined;
    // What keeps a spare from being made need not keep others from starting: nor is it booted.
    const reject: Templates['reject'] = async (_, reason) => {
      throw reason;
    };
    await startMachine(
      spare,
      { host, templates: { offer, reject, proved: nothing, wanted: nothing } },
      signal,
    );
    const access = spare.record && shellAccess(spare.record);
    await parts.rehearse?.({
      dial: (channel) => parts.dial(spare, channel, signal),
      access: access && { privateKey, ...access },
      pixels: parts.pixels,
      signal: AbortSignal.any([signal, AbortSignal.timeout(REHEARSAL_MS)]),
    });
    await sleep(FAREWELL_MS, undefined, { signal });
    await spare.qemu?.execute('stop', undefined, { signal });
    return spare;
  } catch (error) {
    await spare.qemu?.end(0).catch(() => undefined);
    await removeDirectory(spare.directory);
    throw error;
  }
}

const SILENT = {
  onChange: () => undefined,
  onReset: () => undefined,
  onHangUp: () => undefined,
};
