import { z } from 'zod';
import { COMPUTER_STATUSES, EXPIRY_SECONDS, MAX_FORKS, ON_IDLE, RAM_SIZES } from '../constants.js';
import { ComputerEnvironment, EnvironmentChanges } from '../environment.js';
import {
  ComputerName,
  exactlyOne,
  ImageName,
  integer,
  oneOf,
  oneOfWords,
  queryNumber,
  queryWords,
  SnapshotName,
} from '../primitives.js';
import { Computer, Cpu, Gpu, Os, Ram, Resolution } from './computers.js';
import { LabelChanges, LabelSelector, Labels } from './labels.js';
import { ComputerNetwork } from './network.js';
import { Locale, NewFiles, Setup, Sudo, Timezone } from './setup.js';
import { NewMounts } from './volumes.js';

const AutoStop = integer(1, 525_600)
  .nullable()
  .meta({
    description: 'Minutes without a request after which the computer is stopped; null: never.',
    examples: [60],
  });
const OnIdle = oneOfWords(ON_IDLE).describe(
  'What happens after `auto_stop_minutes`. `delete` needs them, and only stops a protected computer.',
);
const ExpiresAt = z.iso
  .datetime('must be a time in UTC such as "2027-01-31T00:00:00Z", or null')
  .max(64, 'must be at most 64 characters')
  .transform((time) => new Date(time).toISOString())
  .nullable()
  .meta({
    description:
      'When the computer is deleted, at most 365 days from now; null: never. A protected computer is deleted when its protection is removed.',
    examples: ['2027-01-31T00:00:00.000Z'],
  });
const Protected = z
  .boolean({ error: 'must be true or false' })
  .describe('A protected computer cannot be deleted.');

/** The name of a member or group of a cluster. */
const clusterName = (what: 'member' | 'group') =>
  z
    .string({ error: `must be the name of a ${what}` })
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
      `must be the name of a ${what}: a-z, A-Z, 0-9, ".", "_", "-"`,
    );

export const CreateComputer = z
  .object({
    name: ComputerName,
    os: Os.optional().describe('Without it that of the image, and without an image `linux`.'),
    ram: Ram.default(2).describe('Memory in GB.'),
    cpu: Cpu.default(2).describe('Number of cores.'),
    gpu: Gpu.default('none').describe(
      '`T4` and `A10` are coming soon: they are refused unless the engine has one.',
    ),
    resolution: Resolution.default({ width: 1280, height: 800 }),
    image: ImageName.optional().meta({
      description:
        "Name of a machine image of `GET /images`, the owner's own before the service's. Without it the one for `os`.",
      examples: ['linux'],
    }),
    engine: z
      .string({ error: 'must be the name of an engine' })
      .regex(/^[a-z]{1,20}$/, 'must be the name of an engine: 1 to 20 of a-z')
      .optional()
      .describe(
        'Name of an engine of `GET /health`. Without it the preferred engine that has the image.',
      ),
    member: clusterName('member')
      .optional()
      .describe('Member of the cluster to create it on. Without it the cluster chooses one.'),
    group: clusterName('group')
      .optional()
      .describe('Group of members, of which the cluster chooses one. Not together with `member`.'),
    auto_stop_minutes: AutoStop.default(null),
    on_idle: OnIdle.default('stop'),
    expires_in: integer(EXPIRY_SECONDS.least, EXPIRY_SECONDS.most)
      .optional()
      .meta({
        description: 'Seconds after which the computer is deleted. Without it never.',
        examples: [7200],
      }),
    labels: Labels.default({}),
    protected: Protected.default(false),
    env: ComputerEnvironment.optional(),
    files: NewFiles.optional(),
    setup: Setup.optional(),
    timezone: Timezone.optional(),
    locale: Locale.optional(),
    sudo: Sudo.optional(),
    network: ComputerNetwork.optional(),
    volumes: NewMounts.optional(),
  })
  .meta({ id: 'CreateComputer', description: 'A computer to create.' });

/** Changes of a computer; omitted fields keep their values. */
export const UpdateComputer = z
  .object({
    name: ComputerName.optional(),
    ram: Ram.optional().describe(
      'Memory in GB. On Docker, Podman and LXD an increase takes effect at once; all other changes at the next start: see `pending` in the answer.',
    ),
    cpu: Cpu.optional().describe(
      'Number of cores. Takes effect at once on Docker, Podman and LXD, and at the next start on QEMU.',
    ),
    resolution: Resolution.optional().describe(
      'Size of the screen, at once; for Windows programs (Wine) and imported disks from the next start on.',
    ),
    auto_stop_minutes: AutoStop.optional(),
    on_idle: OnIdle.optional(),
    expires_at: ExpiresAt.optional(),
    labels: LabelChanges.optional(),
    protected: Protected.optional(),
    env: EnvironmentChanges.optional(),
    network: ComputerNetwork.optional(),
  })
  .meta({ id: 'UpdateComputer', description: 'Changes; omitted fields keep their values.' });

export const ForkComputer = z
  .object({
    name: ComputerName.optional().describe('Name of the copy, unique in the project.'),
    names: z
      .array(ComputerName, { error: 'must be a list of names' })
      .min(1, 'must have at least one name')
      .max(MAX_FORKS, `must have at most ${MAX_FORKS} names`)
      .refine((names) => new Set(names).size === names.length, 'must not have a name twice')
      .optional()
      .meta({
        description: 'Names of several copies, in place of `name`. All of them are made, or none.',
      }),
    snapshot: SnapshotName.optional().describe(
      'Name of a snapshot of the computer to copy. Without it the computer as it is now.',
    ),
  })
  .refine(({ name, names }) => name !== undefined || names !== undefined, {
    error: 'is missing',
    path: ['name'],
  })
  .refine(({ name, names }) => name === undefined || names === undefined, {
    error: 'must not be given together with "name"',
    path: ['names'],
  })
  .meta({
    id: 'ForkComputer',
    ...exactlyOne('name', 'names'),
    description: 'The name of a copy, or names of several.',
    examples: [{ name: 'attempt' }],
  });

export const ForkedComputers = z
  .object({ computers: z.array(Computer).describe('The copies, in the order of `names`.') })
  .meta({ id: 'ForkedComputers', description: 'Copies of a computer.' });

export const ForkAnswer = z
  .union([Computer, ForkedComputers])
  .meta({ id: 'ForkAnswer', description: 'The copy; with `names` a list.' });

export const ResetComputer = z
  .object({
    snapshot: SnapshotName.optional().describe(
      'Name of the snapshot to go back to. Without it the computer is as it was after its creation.',
    ),
  })
  .meta({ id: 'ResetComputer', description: 'What a computer goes back to.' });

/** Which computers a list has. */
export const ComputersFilter = z.object({
  status: queryWords(COMPUTER_STATUSES)
    .optional()
    .meta({
      description: 'Only computers with one of these statuses; repeatable, or with commas between.',
      examples: [['running', 'starting']],
    }),
  label: LabelSelector,
  engine: z
    .string()
    .min(1, 'must not be empty')
    .max(64)
    .optional()
    .meta({ description: 'Only computers on the engine with this name.' }),
  image: z
    .string()
    .min(1, 'must not be empty')
    .max(128)
    .optional()
    .meta({ description: 'Only computers with this image.', examples: ['linux'] }),
});

/** The oldest first. */
export const ComputersQuery = ComputersFilter.extend({
  limit: queryNumber(integer(1, 1000))
    .default(100)
    .meta({ description: 'Computers of one page at most.', examples: [100] }),
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The `next_cursor` of the page before.' }),
});

const InProject = z
  .string({ error: 'must be the name or id of a project' })
  .min(1, 'must be the name or id of a project')
  .max(64, 'must be the name or id of a project')
  .optional();

/** Older clients of this API family have other names for the project. */
export const CreateComputerIn = CreateComputer.extend({
  ram: oneOf([1, ...RAM_SIZES, 16], 'GB')
    .default(2)
    .describe('Memory in GB. `1` and `16` are for older clients.'),
  project: InProject.meta({ description: 'Name or id of the project.', examples: ['lab'] }),
  project_id: InProject.describe('The same as `project`.'),
  workspace_id: InProject.describe('The same as `project`.'),
})
  .refine(
    ({ project, project_id, workspace_id }) =>
      [project, project_id, workspace_id].filter((one) => one !== undefined).length === 1,
    { message: 'must be the name or id of a project, given once', path: ['project'] },
  )
  .meta({
    id: 'CreateComputerIn',
    ...exactlyOne('project', 'project_id', 'workspace_id'),
    description:
      'A new computer and its project: exactly one of `project`, `project_id` and `workspace_id`.',
    examples: [{ project: 'lab', name: 'desktop' }],
  });

export type UpdateComputer = z.infer<typeof UpdateComputer>;
export type CreateComputer = z.infer<typeof CreateComputer>;
/** A computer to create in either way: `createComputerIn` takes more sizes of memory. */
export type ComputerSettings = Omit<CreateComputer, 'ram'> & { readonly ram: number };
export type ForkComputer = z.infer<typeof ForkComputer>;
export type ForkedComputers = z.infer<typeof ForkedComputers>;
export type ComputersFilter = z.infer<typeof ComputersFilter>;
export type ComputersQuery = z.infer<typeof ComputersQuery>;
