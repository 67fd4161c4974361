import { constants, copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { generateKeyPair } from '../../../shell/keys.js';
import type { MachineSpec } from '../../engine.js';
import { hasCode, linkOrCopy, removeDirectory } from '../disk/files.js';
import { layerName } from '../disk/qcow2.js';
import type { QemuHost } from '../host.js';
import { FILES } from '../layout.js';
import { chownToMachine } from '../process/account.js';
import { usableMemory } from '../snapshots/saved/record.js';
import { hasVolumes } from './arguments.js';
import { type Base, findBase } from './base.js';
import type { MachineRecord } from './machine-record.js';
import type { QemuMachine } from './qemu-machine.js';
import type { Workspace } from './qemu-process.js';

interface CreateParts {
  readonly host: QemuHost;
  readonly serviceId: string;
}

/**
 * Creates a machine's directory from an image, or from the saved disk `spec.from`. The record is written
 * last; a directory without one is incomplete and created again.
 */
export async function createMachine(
  machine: QemuMachine,
  { host, serviceId }: CreateParts,
  spec: MachineSpec,
): Promise<void> {
  const base = await findBase(host.layout, spec);
  if (base.image.os !== spec.os) {
    const message = `The image "${spec.image}" is a ${base.image.os} system, not ${spec.os}.`;
    throw new ApiError('invalid_request', message);
  }
  if (hasVolumes(spec) && base.image.kind !== 'vc') {
    const message = `The image "${spec.image}" is an imported disk, which cannot mount volumes.`;
    throw new ApiError('unsupported', message);
  }
  await machine.qemu?.end(0);
  await removeDirectory(machine.directory);
  machine.forget();
  const workspace = await machine.workspace();
  await base.link(workspace.directory);
  const record = createRecord(base, spec, serviceId);
  await machine.writeNew({ ...record, ...(await putState(base, spec, workspace, host)) });
}

/**
 * Copies the UEFI variables of a base into a machine's directory and links the memory that the machine
 * can resume. Returns what its record says of them.
 */
export async function putState(
  { image, variables, memory }: Base,
  spec: Pick<MachineSpec, 'cpu' | 'ram' | 'image' | 'volumes'>,
  workspace: Workspace,
  host: QemuHost,
): Promise<Pick<MachineRecord, 'resume' | 'resumeMac'>> {
  if (image.firmware === 'uefi') await putVariables(variables, spec.image, workspace);
  const usable = hasVolumes(spec) ? null : await usableMemory(memory, spec, host);
  if (usable === null) return { resume: null, resumeMac: null };
  await linkOrCopy(usable.path, join(workspace.directory, FILES.state));
  return { resume: 'fork', resumeMac: usable.mac };
}

async function putVariables(
  from: string,
  image: string,
  { directory, account }: Workspace,
): Promise<void> {
  const variables = join(directory, FILES.variables);
  // QEMU could have put a link in its place.
  await rm(variables, { force: true });
  await copyFile(from, variables, constants.COPYFILE_EXCL).catch((cause) => {
    if (!hasCode(cause, 'ENOENT')) throw cause;
    const message = `The image "${image}" needs UEFI firmware, which is not installed.`;
    const remedy = 'vc setup --engine qemu';
    throw new ApiError('engine_unavailable', message, { remedy, cause });
  });
  await chownToMachine(account, variables);
}

export function createRecord(base: Base, spec: MachineSpec, serviceId: string): MachineRecord {
  return {
    version: 1,
    serviceId,
    spec,
    image: base.image,
    hostKey: generateKeyPair().privateKey,
    // It gets its top layer at its first start.
    layers: [...base.layers, layerName()],
    base: [...base.layers],
    intended: 'stopped',
    used: false,
    resume: null,
    resumeMac: null,
    process: null,
    network: 'internet',
    failure: null,
  };
}
