import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../contract/errors.js';
import { generateKeyPair } from '../../shell/keys.js';
import type { MachineSpec } from '../engine.js';
import { NEW_VARIABLES } from './arguments.js';
import { hasCode, linkOrCopy, removeDirectory } from './files.js';
import type { Host } from './host.js';
import { findImage, type InstalledImage, imageKey } from './images.js';
import { FILES } from './layout.js';
import type { QemuMachine } from './machine.js';
import { giveToMachine } from './process/index.js';
import { diskSize, layerName } from './qcow2.js';
import type { MachineRecord } from './record.js';

/**
 * Makes a machine's directory from an image. The record is written last: a directory without one
 * was never finished and is made anew.
 */
export async function make(
  machine: QemuMachine,
  { host, serviceId }: { readonly host: Host; readonly serviceId: string },
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
  const place = await machine.place();
  await linkImage(image, place.directory);
  if (image.firmware === 'uefi') {
    const variables = join(place.directory, FILES.variables);
    await copyFile(NEW_VARIABLES, variables).catch((cause) => {
      if (!hasCode(cause, 'ENOENT')) throw cause;
      const message =
        'This image needs a UEFI, which is not installed. Try: vc setup --engine qemu';
      throw new ApiError('engine_unavailable', message, { cause });
    });
    await giveToMachine(place.account, variables);
  }
  await machine.writeNew(await newRecord(image, spec, serviceId));
}

/** The files of an image that a machine needs, so that it needs the image no more. */
export async function linkImage(image: InstalledImage, directory: string): Promise<void> {
  const link = (from: string, to: string) =>
    linkOrCopy(join(image.directory, from), join(directory, to));
  await link('disk.qcow2', FILES.image);
  if (image.kind === 'vc')
    await Promise.all([link('kernel', FILES.kernel), link('initrd', FILES.initrd)]);
}

export async function newRecord(
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
