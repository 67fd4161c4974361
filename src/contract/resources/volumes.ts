import { z } from 'zod';
import { VOLUME_NAME } from '../constants.js';
import { flag, Timestamp, text } from '../primitives.js';

/** Volumes of one computer at most. */
const MOST = 16;
/** Letters of a path at most. */
const LONGEST_PATH = 255;

export const VolumeName = z
  .string({ error: 'must be the name of a volume' })
  .regex(
    VOLUME_NAME,
    'must be the name of a volume: 1 to 63 letters, digits, ".", "_", "-", and begin with a letter or digit',
  )
  .meta({ description: 'Unique among the volumes of the owner.', examples: ['data'] });

/** Directories that the system of a computer needs as they are. */
const SYSTEM = new Set(
  '/ /bin /boot /etc /home /home/user /lib /lib64 /root /sbin /tmp /usr /var /var/lib'.split(' '),
);
/** Those in which nothing can be mounted either. */
const WITHIN_SYSTEM = ['/dev', '/proc', '/run', '/sys', '/usr/lib/vc', '/var/lib/vc', '/var/run'];

function isFree(path: string): boolean {
  return !SYSTEM.has(path) && !WITHIN_SYSTEM.some((one) => `${path}/`.startsWith(`${one}/`));
}

const MountPath = text(LONGEST_PATH)
  .regex(
    /^(\/[A-Za-z0-9._@+-]+)+$/,
    'must be an absolute path such as "/data", of letters, digits, ".", "_", "@", "+" and "-"',
  )
  .refine((path) => !/\/\.\.?(\/|$)/.test(path), 'must not contain "." or ".."')
  .refine(isFree, 'must not be a directory of the system')
  .meta({
    description: 'Where it is mounted: an absolute path that is no directory of the system.',
    examples: ['/data'],
  });

const FORM = 'must be a text such as "data:/data" or "data:/data:ro", or {name, path, read_only}';

/** A volume in a computer. */
export const Mount = z
  .object({
    name: z.string().meta({ description: 'Name of the volume.', examples: ['data'] }),
    path: z.string().meta({ description: 'Where it is mounted.', examples: ['/data'] }),
    read_only: z.boolean().describe('True if the computer cannot write to it.'),
  })
  .meta({ id: 'Mount', description: 'A volume in a computer.' });

const MountObject = z.object(
  {
    name: VolumeName,
    path: MountPath,
    read_only: flag().default(false).describe('Whether the computer only reads it.'),
  },
  { error: FORM },
);

const MountText = text(400)
  .regex(/^[^:]+:[^:]+(:(ro|rw))?$/, FORM)
  .transform((given): z.input<typeof MountObject> => {
    const [name = '', path = '', mode] = given.split(':');
    return { name, path, read_only: mode === 'ro' };
  });

const NewMount = z.union([MountObject, MountText.pipe(MountObject)], { error: FORM });

/** The volumes of a new computer. */
export const NewMounts = z
  .array(NewMount, { error: 'must be a list of volumes' })
  .max(MOST, { error: `must have at most ${MOST} volumes`, abort: true })
  .refine(
    (mounts) => !mounts.some((one) => mounts.some((other) => one !== other && overlap(one, other))),
    {
      error: 'must not have a volume twice, or a path that is the same as another or in it',
    },
  )
  .meta({
    description:
      'Volumes to mount: `NAME:PATH`, `NAME:PATH:ro` to read only, or `{name, path, read_only}`. They have to be on the engine of the computer, and cannot be changed later.',
    examples: [['data:/data']],
  });

function overlap(one: Pick<Mount, 'name' | 'path'>, other: Pick<Mount, 'name' | 'path'>): boolean {
  return one.name === other.name || `${other.path}/`.startsWith(`${one.path}/`);
}

export const CreateVolume = z
  .object({
    name: VolumeName,
    engine: z
      .string({ error: 'must be the name of an engine' })
      .regex(/^[a-z]{1,20}$/, 'must be the name of an engine: 1 to 20 of a-z')
      .optional()
      .describe('Engine whose computers can mount it. Without it the preferred one.'),
  })
  .meta({ id: 'CreateVolume', description: 'A volume to create.' });

export const Volume = z
  .object({
    name: VolumeName,
    engine: z.string().describe('Engine whose computers can mount it, for example `docker`.'),
    bytes: z
      .number()
      .int()
      .meta({ description: 'What its files take, measured now and then.', examples: [52428800] }),
    used_by: z
      .number()
      .int()
      .meta({
        description: 'How many computers mount it, which keep it from being deleted.',
        examples: [2],
      }),
    created_at: Timestamp.describe('When it was created.'),
  })
  .meta({ id: 'Volume', description: 'A directory that computers share and that outlives them.' });

export const VolumeList = z
  .object({ volumes: z.array(Volume).describe('Sorted by name.') })
  .meta({ id: 'VolumeList', description: 'Volumes of the owner.' });

export type Mount = z.infer<typeof Mount>;
export type NewMounts = z.output<typeof NewMounts>;
export type CreateVolume = z.output<typeof CreateVolume>;
export type Volume = z.output<typeof Volume>;
