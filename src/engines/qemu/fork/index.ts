import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { generateKeyPair } from '../../../shell/keys.js';
import type { MachineSpec } from '../../engine.js';
import { removeDirectory } from '../files.js';
import { identityOf, withAgent } from '../guest/configure.js';
import { macAddress } from '../ids.js';
import type { QemuMachine } from '../machine.js';
import { giveToMachine } from '../process/index.js';
import { createLayer, layerName } from '../qcow2.js';
import type { MachineRecord } from '../record.js';
import { type StartParts, startMachine } from '../starting.js';
import { addLayer, copyVariables, freeze, share } from './layers.js';
import { saveRunning } from './running.js';

/** What a source's guest may take to set its clock again. */
const CLOCK_MS = 10_000;

/**
 * Copies a machine: a running one with its memory, and the copy runs; a stopped one with its disk.
 * Both then have a disk layer of their own over what they have in common, of which each has a name:
 * to remove one never hurts the other. A failure leaves the source as it was and nothing of the copy.
 */
export async function forkMachine(
  from: QemuMachine,
  to: QemuMachine,
  spec: MachineSpec,
  parts: StartParts & { readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { signal } = parts;
  signal?.throwIfAborted();
  await from.judge();
  const { record, qemu } = from;
  if (record === undefined) {
    throw new ApiError('not_found', 'The computer that was to be copied is not there any more.');
  }
  if (to.record && (to.record.used || to.record.resume === null)) return;
  await discard(to);
  try {
    if (qemu) {
      sameHardware(record.spec, spec);
      const { directory } = await to.place();
      const { kind: acceleration } = await parts.host.acceleration(signal);
      const options = { directory, acceleration, signal };
      const layers = await saveRunning(from, qemu, record, options);
      const awake = setClock(from, record, parts);
      await makeCopy(from, to, { ...record, layers: [...layers] }, spec, 'fork');
      await startMachine(to, parts, signal);
      await awake;
    } else {
      const layers = record.used ? await freezeStopped(from, record) : record.layers.slice(0, 1);
      await makeCopy(from, to, { ...record, layers: [...layers] }, spec, null);
    }
  } catch (error) {
    await discard(to);
    throw error;
  }
}

/** The guest's clock stood still with it. A guest that does not answer keeps its own time. */
async function setClock(
  machine: QemuMachine,
  record: MachineRecord,
  { host, signal }: StartParts & { readonly signal: AbortSignal | undefined },
): Promise<void> {
  if (record.image.kind !== 'vc') return;
  try {
    const { guest } = await host.network();
    const identity = identityOf(record, guest);
    const options = { signal, timeoutMs: CLOCK_MS };
    await withAgent(await machine.place(), (agent) => agent.configure(identity, signal), options);
  } catch {
    signal?.throwIfAborted();
  }
}

async function discard(machine: QemuMachine): Promise<void> {
  await machine.qemu?.end(0);
  await removeDirectory(machine.directory);
  machine.forget();
}

/** Layers that hold a stopped machine's disk as it is now; it will write to a new one. */
async function freezeStopped(
  machine: QemuMachine,
  record: MachineRecord,
): Promise<readonly string[]> {
  await addLayer(machine, record);
  await freeze(machine.directory, record.layers.slice(1));
  return record.layers;
}

/** The copy's record is written once and last: until then it is nothing that anybody would start. */
async function makeCopy(
  from: QemuMachine,
  to: QemuMachine,
  source: MachineRecord,
  spec: MachineSpec,
  resume: 'fork' | null,
): Promise<void> {
  const { directory, account } = await to.place();
  await share(from.directory, directory, source);
  await copyVariables(from, to);
  const stopped = resume === null;
  const top = layerName();
  if (stopped) {
    const backing = source.layers.at(-1) ?? '';
    await createLayer(directory, { name: top, backing, bytes: source.image.diskBytes });
    await giveToMachine(account, join(directory, top));
  }
  await to.writeNew({
    ...source,
    spec,
    hostKey: generateKeyPair().privateKey,
    resume,
    resumeMac: stopped ? null : (source.resumeMac ?? macAddress(source.spec.id)),
    layers: [...source.layers, top],
    intended: 'stopped',
    used: stopped && source.used,
    process: null,
    failure: null,
  });
}

function sameHardware(source: MachineSpec, copy: MachineSpec): void {
  if (source.cpu === copy.cpu && source.ram === copy.ram) return;
  const message = 'A copy of a running computer has as many cores and as much memory as it has.';
  throw new ApiError('invalid_request', message);
}
