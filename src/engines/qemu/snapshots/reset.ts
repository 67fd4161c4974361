import type { MachineSpec } from '../../engine.js';
import { createTopLayer, removeUnusedLayers } from '../disk/layers.js';
import type { QemuHost } from '../host.js';
import { NEW_VARIABLES } from '../machine/arguments.js';
import { type Base, findBase } from '../machine/base.js';
import { putState } from '../machine/create.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import { stopMachine } from '../machine/start-stop.js';
import { removeResumeFiles } from './migration.js';
import { SavedStore } from './saved/store.js';

/**
 * Ends a machine and puts it back to the saved disk `spec.from`, or to what it was made from. Its host key
 * and user stay. Interrupted at any point, it is done again.
 */
export async function resetMachine(
  machine: QemuMachine,
  record: MachineRecord,
  spec: MachineSpec,
  host: QemuHost,
): Promise<void> {
  const isOrigin = spec.from === undefined || spec.from.id === record.spec.from?.id;
  const saved = spec.from && new SavedStore(host.layout).find(spec.from.id);
  const target = isOrigin && !(await saved) ? original(record) : await findBase(host.layout, spec);
  await stopMachine(machine, 0);
  const workspace = await machine.workspace();
  await removeResumeFiles(workspace.directory);
  await removeUnusedLayers(machine);
  await target.link(workspace.directory);
  const state = await putState(target, spec, workspace, host);
  const top = await createTopLayer(workspace, target.layers.at(-1) ?? '', record.image.diskBytes);
  await machine.write({
    spec: { ...spec, from: record.spec.from },
    layers: [...target.layers, top],
    // A machine as it was made starts from its template.
    used: !isOrigin && state.resume === null,
    ...state,
    intended: 'stopped',
    process: null,
    failure: null,
  });
  await removeUnusedLayers(machine);
}

/** What a machine was made from, if that is gone: without memory. */
function original({ image, base }: MachineRecord): Base {
  const link = async () => undefined;
  return { image, layers: base, variables: NEW_VARIABLES, memory: null, link };
}
