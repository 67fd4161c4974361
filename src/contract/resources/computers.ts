import { z } from 'zod';
import {
  COMPUTER_STATUSES,
  CPU_COUNTS,
  EXPIRY_SECONDS,
  GPUS,
  MAX_FORKS,
  ON_IDLE,
  OPERATING_SYSTEMS,
  RAM_SIZES,
} from '../constants.js';
import { ComputerEnvironment, EnvironmentChanges } from '../environment.js';
import {
  ComputerName,
  ImageName,
  integer,
  oneOf,
  oneOfWords,
  queryNumber,
  SnapshotName,
  Timestamp,
} from '../primitives.js';
import { Control } from './control.js';
import { LabelChanges, LabelSelector, Labels } from './labels.js';
import { Locale, NewFiles, Setup, Sudo, Timezone } from './setup.js';

export const Os = oneOfWords(OPERATING_SYSTEMS);
export const Ram = oneOf(RAM_SIZES, 'GB');
export const Cpu = oneOf(CPU_COUNTS, 'cores');
export const Gpu = oneOfWords(GPUS);

export const ComputerStatus = z.enum(COMPUTER_STATUSES);

const width = integer(320, 3840).describe('Pixels.');
const height = integer(240, 2160).describe('Pixels.');
const Size = z.object({ width, height }, { error: 'must be {width, height} or "1280x800"' });
const SizeText = z
  .string()
  .regex(/^\d{3,4}x\d{3,4}$/, 'must be written like "1280x800"')
  .transform((size) => {
    const [w, h] = size.split('x').map(Number);
    return { width: w ?? 0, height: h ?? 0 };
  })
  .pipe(Size);

/** Screen size in pixels: `{width, height}` or `"1280x800"`; 320x240 to 3840x2160. */
export const Resolution = z
  .union([Size, SizeText], {
    error: 'must be {width, height} or "1280x800", from 320x240 to 3840x2160',
  })
  .meta({
    description: 'Size of the screen in pixels: `{width, height}`, or a text such as `1280x800`.',
    examples: ['1280x800'],
  });

export const ScreenSize = z
  .object({
    width: z.number().meta({ description: 'Pixels.', examples: [1280] }),
    height: z.number().meta({ description: 'Pixels.', examples: [800] }),
  })
  .meta({ id: 'ScreenSize', description: 'Size of a screen.' });

export const Computer = z
  .object({
    id: z
      .string()
      .meta({ description: 'Id of the computer.', examples: ['cmp_7f3k2m9q4w8e1r6t5y0b'] }),
    name: z.string().meta({ description: 'Unique in its project.', examples: ['desktop'] }),
    os: Os.describe('`windows` runs Windows programs with Wine, or an imported Windows disk.'),
    ram: z
      .number()
      .int()
      .meta({ description: 'Memory in GB.', examples: [2] }),
    cpu: z
      .number()
      .int()
      .meta({ description: 'Number of cores.', examples: [2] }),
    gpu: z.string().meta({ description: 'GPU, or `none`.', examples: ['none'] }),
    status: ComputerStatus.describe(
      '`running` can be used. `starting`, `stopping` and `deleting` pass; after `error`, `status_reason` says why.',
    ),
    status_reason: z
      .string()
      .optional()
      .meta({
        description:
          'Why the computer failed, was stopped or is being deleted, in one line; absent if it is not known.',
        examples: ['Key "ci" stopped it.'],
      }),
    project_id: z
      .string()
      .meta({ description: 'Id of the project.', examples: ['prj_2m9q4w8e1r6t5y0b7f3k'] }),
    project_name: z.string().meta({ description: 'Name of the project.', examples: ['demo'] }),
    created_at: Timestamp.describe('When the computer was created.'),
    started_at: Timestamp.nullable().describe('When it was last started; null before that.'),
    url: z
      .string()
      .nullable()
      .meta({
        description:
          'Address of the live view without a ticket: it shows no screen and explains how to get a link.',
        examples: ['http://127.0.0.1:4700/api/view/cmp_7f3k2m9q4w8e1r6t5y0b'],
      }),
    engine: z.string().describe('Engine that runs the computer, for example `qemu`.'),
    isolation: z
      .enum(['container', 'vm', 'emulated'])
      .describe('`container`; `vm`: a virtual machine with KVM; `emulated`: one without it.'),
    member: z
      .string()
      .nullable()
      .meta({
        description:
          'Member of the cluster that it is on; null without a cluster, and until it is created there.',
        examples: ['node1'],
      }),
    image: z.string().meta({ description: 'Name of the machine image.', examples: ['linux'] }),
    resolution: ScreenSize.describe(
      'Size of the screen when the computer starts; screenshots have its present size.',
    ),
    auto_stop_minutes: z
      .number()
      .int()
      .nullable()
      .meta({
        description: 'Minutes without a request after which the computer is stopped; null: never.',
        examples: [60],
      }),
    on_idle: z.enum(ON_IDLE).describe('What `auto_stop_minutes` does: `stop` or `delete`.'),
    expires_at: Timestamp.nullable().describe('When the computer is deleted; null: never.'),
    labels: z
      .record(z.string(), z.string())
      .meta({ description: 'Labels by name.', examples: [{ team: 'qa' }] }),
    protected: z.boolean().describe('True if the computer cannot be deleted.'),
    env_names: z.array(z.string()).meta({
      description: 'Names of its environment variables; their values are never shown.',
      examples: [['API_URL']],
    }),
    timezone: z
      .string()
      .nullable()
      .meta({ description: 'Time zone; null for that of the image.', examples: ['Europe/Berlin'] }),
    locale: z
      .string()
      .nullable()
      .meta({ description: 'Locale; null for that of the image.', examples: ['de_DE.UTF-8'] }),
    sudo: z
      .boolean()
      .describe(
        'False if its user cannot become root. `vc serve --no-sudo` disables sudo in all containers, whatever this says.',
      ),
    created_by: z
      .object({
        id: z
          .string()
          .meta({ description: 'Id of the key.', examples: ['key_4d9s1x7f3k2m9q4w8e1r'] }),
        name: z
          .string()
          .nullable()
          .meta({ description: 'Name of the key; null if it is not known.', examples: ['laptop'] }),
        prefix: z
          .string()
          .nullable()
          .meta({
            description: 'How the key begins; null if it is not known.',
            examples: ['vc_0123'],
          }),
      })
      .nullable()
      .describe(
        'The API key that created it, also after that was revoked; null if it is not known.',
      ),
    control: Control.nullable().describe('Who alone gives input to it; null if nobody does.'),
  })
  .meta({ id: 'Computer', description: 'A virtual computer.' });

/** What a running computer uses of its host. */
export const ComputerStats = z
  .object({
    at: Timestamp.describe('When this was measured.'),
    cpu_percent: z.number().meta({
      description:
        'Load since the last request for this computer, or over half a second if there was none in the last minute; 100 is one whole core.',
      examples: [12.5],
    }),
    cpu_seconds: z.number().meta({
      description: 'Processor time in seconds since the computer was started.',
      examples: [84.2],
    }),
    cpu: z
      .number()
      .int()
      .meta({ description: 'Number of cores.', examples: [2] }),
    memory_used_bytes: z
      .number()
      .int()
      .meta({ description: 'Memory of the host that is in use.', examples: [734003200] }),
    memory_total_bytes: z
      .number()
      .int()
      .meta({ description: 'Memory of the computer.', examples: [2147483648] }),
    disk_used_bytes: z
      .number()
      .int()
      .meta({
        description: 'What the computer has written, without its image.',
        examples: [52428800],
      }),
    disk_total_bytes: z
      .number()
      .int()
      .nullable()
      .meta({
        description: 'Size of the disk; null if only the disk of the host limits it.',
        examples: [21474836480],
      }),
  })
  .meta({ id: 'ComputerStats', description: 'What a running computer uses of its host.' });

export const ComputerList = z
  .object({ computers: z.array(Computer).describe('Oldest first.') })
  .meta({ id: 'ComputerList', description: 'Computers of a project.' });

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
    gpu: Gpu.default('none').describe('Only `none` is available in this version.'),
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
  })
  .meta({ id: 'CreateComputer', description: 'A computer to create.' });

/** Changes of a computer; omitted fields keep their values. */
export const UpdateComputer = z
  .object({
    name: ComputerName.optional(),
    auto_stop_minutes: AutoStop.optional(),
    on_idle: OnIdle.optional(),
    expires_at: ExpiresAt.optional(),
    labels: LabelChanges.optional(),
    protected: Protected.optional(),
    env: EnvironmentChanges.optional(),
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
  status: z
    .string()
    .transform((list) => list.split(',').map((status) => status.trim()))
    .refine(
      (list) => list.every((status) => (COMPUTER_STATUSES as readonly string[]).includes(status)),
      `must be one or more of ${COMPUTER_STATUSES.join(', ')}, with commas between`,
    )
    .optional()
    .meta({
      description: 'Only computers with one of these statuses, with commas between.',
      examples: ['running,starting'],
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

export const ComputerPage = z
  .object({
    computers: z.array(Computer).describe('The computers of this page.'),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'For the next page; null after the last one.' }),
  })
  .meta({ id: 'ComputerPage', description: 'Computers of all projects.' });

export const CreateComputerIn = CreateComputer.extend({
  project: z
    .string({ error: 'must be the name or id of a project' })
    .min(1, 'must be the name or id of a project')
    .max(64, 'must be the name or id of a project')
    .meta({ description: 'Name or id of the project.', examples: ['lab'] }),
}).meta({ id: 'CreateComputerIn', description: 'A new computer and its project.' });

export type Computer = z.infer<typeof Computer>;
export type ComputerStats = z.infer<typeof ComputerStats>;
export type ComputerStatus = z.infer<typeof ComputerStatus>;
export type UpdateComputer = z.infer<typeof UpdateComputer>;
export type CreateComputer = z.infer<typeof CreateComputer>;
export type ForkComputer = z.infer<typeof ForkComputer>;
export type ForkedComputers = z.infer<typeof ForkedComputers>;
export type ComputersFilter = z.infer<typeof ComputersFilter>;
export type ComputersQuery = z.infer<typeof ComputersQuery>;
export type ComputerPage = z.infer<typeof ComputerPage>;
