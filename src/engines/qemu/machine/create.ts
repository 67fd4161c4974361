import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { generateKeyPair } from '../../../shell/keys.js';
import type { MachineSpec } from '../../engine.js';
import { hasCode, linkOrCopy, removeDirectory } from '../disk/files.js';
import { diskSize, layerName } from '../disk/qcow2.js';
import type { QemuHost } from '../host.js';
import { findImage, type InstalledImage, imageKey } from '../images/installed.js';
import { FILES } from '../layout.js';
import { chownToMachine } from '../process/account.js';
import { NEW_VARIABLES } from './arguments.js';
import type { MachineRecord } from './machine-record.js';
import type { QemuMachine } from './qemu-machine.js';

/**
 * Creates a machine's directory from an image. The record is written last; a directory without one
 * is incomplete and created again.
 */
export async function createMachine(
  machine: QemuMachine,
  { host, serviceId }: { readonly host: QemuHost; readonly serviceId: string },
  spec: MachineSpec,
): Promise<void> {
  const image = await findImage(host.layout.images, spec.image);
  if (image.os !== spec.os) {
    const message = `The image "${image.name}" is a ${image.os} system, not ${spec.os}.`;
    throw new ApiError('invalid_request', message);
  }
  await machine.qemu?.end(0);
  await removeDirectory(machine.directory);
  machine.forget();
  const workspace = await machine.workspace();
  await linkImage(image, workspace.directory);
  if (image.firmware === 'uefi') {
    const variables = join(workspace.directory, FILES.variables);
    await copyFile(NEW_VARIABLES, variables).catch((cause) => {
      if (!hasCode(cause, 'ENOENT')) throw cause;
      const message = `The image "${image.name}" needs UEFI firmware, which is not installed.`;
      const remedy = 'vc setup --engine qemu';
      throw new ApiError('engine_unavailable', message, { remedy, cause });
    });
    await chownToMachine(workspace.account, variables);
  }
  await machine.writeNew(await createRecord(image, spec, serviceId));
}

/** Links an image's files into a machine's directory, so that the image can be removed later. */
export async function linkImage(image: InstalledImage, directory: string): Promise<void> {
  const link = (from: string, to: string) =>
    linkOrCopy(join(image.directory, from), join(directory, to));
  await link('disk.qcow2', FILES.image);
  if (image.kind === 'vc')
    await Promise.all([link('kernel', FILES.kernel), link('initrd', FILES.initrd)]);
}

export async function createRecord(
  image: InstalledImage,
  spec: MachineSpec,
  serviceId: string,
): Promise<MachineRecord> {
  const { kind, os, identity, commandLine, firmware = 'bios', shell } = image;
  const diskBytes = await diskSize(join(image.directory, 'disk.qcow2'));
  const privateKey = kind === 'disk' ? ((await imageKey(image)) ?? null) : null;
  const user = shell?.user ?? null;
  return {
    version: 1,
    serviceId,
    spec,
    image: { kind, os, identity, firmware, commandLine, user, privateKey, diskBytes },
    hostKey: generateKeyPair().privateKey,
    layers: [FILES.image, layerName()],
    intended: 'stopped',
    used: false,
    resume: null,
    resumeMac: null,
    process: null,
    failure: null,
  };
}
