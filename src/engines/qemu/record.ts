import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { unlessMissing, writeAtomically } from './files.js';
import { FILES } from './layout.js';

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
});

const identitySchema = z.object({
  pid: z.number(),
  startTime: z.number(),
  bootId: z.string(),
  uid: z.number(),
});

const recordSchema = z.object({
  version: z.literal(1),
  serviceId: z.string(),
  spec: specSchema,
  image: z.object({
    kind: z.enum(['vc', 'disk']),
    os: z.enum(['linux', 'windows']),
    identity: z.string(),
    firmware: z.enum(['bios', 'uefi']),
    commandLine: z.string(),
    user: z.string().nullable(),
    privateKey: z.string().nullable(),
    /** Size of the guest's disk in bytes. */
    diskBytes: z.number(),
  }),
  /** The guest's own SSH host key, OpenSSH's private format: made here, where that takes no time. */
  hostKey: z.string(),
  /** Disk files from the lowest to the one that is written to. */
  layers: z.array(z.string()).min(2),
  /** What was asked for last. */
  intended: z.enum(['running', 'stopped']),
  /** Somebody may have used the guest: what is on its disk counts. */
  used: z.boolean(),
  /**
   * What to start from in place of booting: saved memory and devices, or a QEMU that waits in here
   * already. Gone after the first start.
   */
  resume: z.enum(['template', 'fork', 'spare']).nullable(),
  /** The Ethernet address that the network card had first: a copy's is its source's. */
  resumeMac: z.string().nullable(),
  /** The QEMU that was started last. */
  process: identitySchema.nullable(),
  /** Why it ended without having been asked to, one line. */
  failure: z.string().nullable(),
});

/** What `machine.json` says: written before every step, so that any crash can be recovered from. */
export type MachineRecord = z.infer<typeof recordSchema>;

/** Undefined when there is no machine, or one whose making was never finished. */
export async function readMachine(directory: string): Promise<MachineRecord | undefined> {
  // The directory is one that QEMU writes to: a link that leads elsewhere is not followed.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  const file = await unlessMissing(open(join(directory, FILES.record), flags));
  if (file === undefined) return undefined;
  try {
    return recordSchema.parse(JSON.parse(await file.readFile('utf8')));
  } finally {
    await file.close();
  }
}

/** Lasting once it resolves. */
export async function writeMachine(directory: string, record: MachineRecord): Promise<void> {
  await writeAtomically(join(directory, FILES.record), `${JSON.stringify(record, null, 2)}\n`);
}
