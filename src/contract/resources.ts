import { z } from 'zod';
import { ComputerName, integer, oneOf, ProjectName, Timestamp } from './primitives.js';

export const Os = z.enum(['linux', 'windows'], { error: 'must be "linux" or "windows"' });
export const Ram = oneOf([2, 4, 8], 'GB');
export const Cpu = oneOf([2, 4, 8], 'cores');
export const Gpu = z.enum(['none', 'T4', 'A10'], { error: 'must be "none", "T4" or "A10"' });

export const ComputerStatus = z.enum([
  'starting',
  'running',
  'stopping',
  'stopped',
  'deleting',
  'error',
]);

/** A number of a query, which arrives as text. */
const whole = (schema: z.ZodType<number, number>) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    schema,
  );

const width = integer(320, 3840);
const height = integer(240, 2160);
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
export const Resolution = z.union([Size, SizeText], {
  error: 'must be {width, height} or "1280x800", from 320x240 to 3840x2160',
});

export const Computer = z.object({
  id: z.string(),
  name: z.string(),
  os: Os,
  ram: z.number().int(),
  cpu: z.number().int(),
  gpu: z.string(),
  status: ComputerStatus,
  status_reason: z.string().optional(),
  project_id: z.string(),
  project_name: z.string(),
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  url: z.string().nullable(),
  engine: z.string(),
  isolation: z.enum(['container', 'vm', 'emulated']),
  image: z.string(),
  resolution: z.object({ width: z.number(), height: z.number() }),
  auto_stop_minutes: z.number().int().nullable(),
  protected: z.boolean(),
});

export const Project = z.object({
  id: z.string(),
  name: z.string(),
  user_id: z.string(),
  status: z.string(),
  computer_count: z.number().int(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const ProjectWithComputers = Project.extend({ computers: z.array(Computer) });

export const CreateProject = z.object({ name: ProjectName });

const AutoStop = integer(1, 525_600).nullable();

export const CreateComputer = z.object({
  name: ComputerName,
  /** Left out: that of the image, and without an image linux. */
  os: Os.optional(),
  ram: Ram.default(2),
  cpu: Cpu.default(2),
  gpu: Gpu.default('none'),
  resolution: Resolution.default({ width: 1280, height: 800 }),
  image: z
    .string({ error: 'must be the name of an image' })
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be the name of an image: a-z, 0-9, ".", "_", "-"')
    .optional(),
  engine: z
    .string({ error: 'must be the name of an engine' })
    .regex(/^[a-z]{1,20}$/, 'must be the name of an engine, for example "docker"')
    .optional(),
  auto_stop_minutes: AutoStop.default(null),
  protected: z.boolean({ error: 'must be true or false' }).default(false),
});

/** What can be changed of a computer; what is left out stays as it is. */
export const UpdateComputer = z.object({
  name: ComputerName.optional(),
  auto_stop_minutes: AutoStop.optional(),
  protected: z.boolean({ error: 'must be true or false' }).optional(),
});

export const ForkComputer = z.object({ name: ComputerName });

export const Key = z.object({
  id: z.string(),
  name: z.string(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
});
export const CreateKey = z.object({ name: ComputerName });
export const CreatedKey = Key.extend({ key: z.string() });

/** An entry of the ledger of who did what to a computer. */
export const Action = z.object({
  id: z.number().int(),
  at: Timestamp,
  /** The operation's name, for example "click". */
  action: z.string(),
  /** Numbers and short words that say what: coordinates, lengths. Never a text or code. */
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  key_id: z.string(),
  /** "ok", or the code of the error. */
  outcome: z.string(),
  /** How long it took, in milliseconds. */
  ms: z.number().int(),
});

export const ActionsQuery = z.object({
  /** How many, 1 to 1000. */
  limit: whole(integer(1, 1000)).default(100),
  /** Entries before this id: the last one of the page before. */
  before: whole(integer(1, Number.MAX_SAFE_INTEGER)).optional(),
});

/** Who a key belongs to, and what its owner may run at once. */
export const Me = z.object({
  user_id: z.string(),
  name: z.string(),
  key: z.object({ id: z.string(), name: z.string() }),
  running: z.number().int(),
  max_running: z.number().int(),
});

export const Health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  engines: z.array(z.object({ name: z.string(), usable: z.boolean(), detail: z.string() })),
  store: z.object({ usable: z.boolean(), detail: z.string() }),
});

export type Computer = z.infer<typeof Computer>;
export type ComputerStatus = z.infer<typeof ComputerStatus>;
export type Project = z.infer<typeof Project>;
export type ProjectWithComputers = z.infer<typeof ProjectWithComputers>;
export type CreateProject = z.infer<typeof CreateProject>;
export type UpdateComputer = z.infer<typeof UpdateComputer>;
export type CreateComputer = z.infer<typeof CreateComputer>;
export type Key = z.infer<typeof Key>;
export type CreatedKey = z.infer<typeof CreatedKey>;
export type Action = z.infer<typeof Action>;
export type ActionsQuery = z.infer<typeof ActionsQuery>;
export type Me = z.infer<typeof Me>;
export type Health = z.infer<typeof Health>;
