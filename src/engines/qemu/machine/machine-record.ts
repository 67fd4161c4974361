import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ComputerNetwork } from '../../../contract/resources/network.js';
import { unlessMissing, writeAtomically } from '../disk/files.js';
import { FILES } from '../layout.js';

const specSchema = z.object({
  id: z.string(),
  ownerId: z.string(),
  projectId: z.string(),
  os: z.enum(['linux', 'windows']),
  image: z.string(),
  cpu: z.number(),
  ram: z.number(),
  gpu: z.string(),
  resolution: z.object({ width: z.number(), height: z.number() }),
  authorizedKey: z.string(),
  hostName: z.string(),
  from: z.object({ id: z.string(), kind: z.enum(['snapshot', 'image']) }).optional(),
  volumes: z
    .array(z.object({ id: z.string(), path: z.string(), readOnly: z.boolean() }))
    .readonly()
    .optional(),
});

const identitySchema = z.object({
  pid: z.number(),
  startTime: z.number(),
  bootId: z.string(),
  uid: z.number(),
});

/** What a machine keeps of the image that it was made from. */
export const imageSchema = z.object({
  kind: z.enum(['vc', 'disk']),
  os: z.enum(['linux', 'windows']),
  /** Changes with the content of the image, or is the id of the saved disk. */
  identity: z.string(),
  firmware: z.enum(['bios', 'uefi']),
  commandLine: z.string(),
  user: z.string().nullable(),
  privateKey: z.string().nullable(),
  /** Size of the guest's disk in bytes. */
  diskBytes: z.number(),
});

const recordSchema = z.object({
  version: z.literal(1),
  serviceId: z.string(),
  spec: specSchema,
  image: imageSchema,
  /** The guest's SSH host key, in OpenSSH's private format: generating it in the guest is slow. */
  hostKey: z.string(),
  /** Disk files, from the lowest layer to the one that the guest writes to. */
  layers: z.array(z.string()).min(2),
  /** The layers that the machine was made with, which stay so that it can be reset to them. */
  base: z.array(z.string()).min(1).default([FILES.image]),
  /** The state that was last requested. */
  intended: z.enum(['running', 'stopped']),
  /** The guest may have been used, so its disk must be kept. */
  used: z.boolean(),
  /**
   * What the first start resumes instead of booting: the saved state of a template, the memory of a
   * saved disk (`fork`), or a paused QEMU of the pool.
   */
  resume: z.enum(['template', 'fork', 'pool']).nullable(),
  /** The network card's MAC address in the resumed state: of a saved disk that of its source. */
  resumeMac: z.string().nullable(),
  /** The last QEMU process. */
  process: identitySchema.nullable(),
  /** What that process may reach; null while that changes. */
  network: ComputerNetwork.nullable().default('internet'),
  /** Why the process exited unexpectedly, one line. */
  failure: z.string().nullable(),
});

/** The content of `machine.json`. It is written before each step, so that any crash is recoverable. */
export type MachineRecord = z.infer<typeof recordSchema>;

/** Undefined if there is no machine, or one that was not created completely. */
export async function readMachineRecord(directory: string): Promise<MachineRecord | undefined> {
  // QEMU can write to the directory: do not follow a link, or wait for a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await unlessMissing(open(join(directory, FILES.record), flags));
  if (file === undefined) return undefined;
  try {
    return recordSchema.parse(JSON.parse(await file.readFile('utf8')));
  } finally {
    await file.close();
  }
}

/** On disk once it resolves. */
export async function writeMachineRecord(directory: string, record: MachineRecord): Promise<void> {
  await writeAtomically(join(directory, FILES.record), `${JSON.stringify(record, null, 2)}\n`);
}
