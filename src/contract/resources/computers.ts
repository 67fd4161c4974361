import { z } from 'zod';
import {
  COMPUTER_STATUSES,
  CPU_COUNTS,
  GPUS,
  ON_IDLE,
  OPERATING_SYSTEMS,
  RAM_SIZES,
  RESIZABLE,
} from '../constants.js';
import { integer, oneOf, oneOfWords, Timestamp } from '../primitives.js';
import { Control } from './control.js';
import { ComputerNetwork } from './network.js';
import { Mount } from './volumes.js';

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
  // Older clients of this API family append the depth of colour.
  .regex(/^\d{3,4}x\d{3,4}(?:x\d{1,2})?$/, 'must be written like "1280x800"')
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
    pending: z
      .array(z.enum(RESIZABLE))
      .optional()
      .meta({
        description: 'Changed fields that take effect at the next start; absent if there are none.',
        examples: [['cpu', 'ram']],
      }),
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
    network: ComputerNetwork,
    volumes: z
      .array(Mount)
      .optional()
      .describe('Volumes that are mounted in it; absent if there are none.'),
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

/** What a computer used at a moment. */
export const StatsSample = ComputerStats.pick({
  at: true,
  cpu_percent: true,
  memory_used_bytes: true,
})
  .extend({
    cpu_percent: ComputerStats.shape.cpu_percent.meta({
      description: 'Load since the sample before; 100 is one whole core.',
      examples: [12.5],
    }),
  })
  .meta({ id: 'StatsSample', description: 'What a computer used at a moment.' });

export const StatsHistory = ComputerStats.pick({ cpu: true, memory_total_bytes: true })
  .extend({
    id: z
      .string()
      .meta({ description: 'Id of the computer.', examples: ['cmp_7f3k2m9q4w8e1r6t5y0b'] }),
    disk_used_bytes: z
      .number()
      .int()
      .nullable()
      .meta({
        description:
          'What the computer had written when that was last measured: less often, because it can take long. Null before that.',
        examples: [52428800],
      }),
    used_at: Timestamp.nullable().describe(
      'When a client used the computer last, or it or the service was started; null if it has not run since.',
    ),
    samples: z.array(StatsSample).describe('The oldest first; none while it did not run.'),
  })
  .meta({ id: 'StatsHistory', description: 'What a computer used in the last hour.' });

/** The newer samples of a program that has the others. */
export const StatsHistoryQuery = z.object({
  since: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-11-22T11:03:07Z' })
    .optional()
    .meta({
      description: 'Only samples of this time or later; of the last hour without it.',
      examples: ['2026-11-22T11:03:07.603Z'],
    }),
});

export const StatsHistoryList = z
  .object({ computers: z.array(StatsHistory).describe('The oldest first.') })
  .meta({ id: 'StatsHistoryList', description: 'What computers used in the last hour.' });

export const ComputerList = z
  .object({ computers: z.array(Computer).describe('Oldest first.') })
  .meta({ id: 'ComputerList', description: 'Computers of a project.' });

export const ComputerPage = z
  .object({
    computers: z.array(Computer).describe('The computers of this page.'),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'For the next page; null after the last one.' }),
  })
  .meta({ id: 'ComputerPage', description: 'Computers of all projects.' });

export type Computer = z.infer<typeof Computer>;
export type ComputerStats = z.infer<typeof ComputerStats>;
export type StatsSample = z.infer<typeof StatsSample>;
export type StatsHistory = z.infer<typeof StatsHistory>;
export type ComputerStatus = z.infer<typeof ComputerStatus>;
export type ComputerPage = z.infer<typeof ComputerPage>;
