import { z } from 'zod';
import {
  COMPUTER_STATUSES,
  CPU_COUNTS,
  GPUS,
  OPERATING_SYSTEMS,
  RAM_SIZES,
  ROLES,
} from './constants.js';
import { ComputerName, integer, oneOf, oneOfWords, ProjectName, Timestamp } from './primitives.js';

export const Os = oneOfWords(OPERATING_SYSTEMS);
export const Ram = oneOf(RAM_SIZES, 'GB');
export const Cpu = oneOf(CPU_COUNTS, 'cores');
export const Gpu = oneOfWords(GPUS);

export const ComputerStatus = z.enum(COMPUTER_STATUSES);

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

/** What a running computer uses of its host. */
export const ComputerStats = z.object({
  at: Timestamp,
  /** Load since the last request for this computer, or over half a second; 100 is one whole core. */
  cpu_percent: z.number(),
  /** Processor time since the computer was started. */
  cpu_seconds: z.number(),
  /** Cores. */
  cpu: z.number().int(),
  memory_used_bytes: z.number().int(),
  memory_total_bytes: z.number().int(),
  /** What it has written, without its image. */
  disk_used_bytes: z.number().int(),
  /** Null if the disk may fill that of the host. */
  disk_total_bytes: z.number().int().nullable(),
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
    .regex(/^[a-z]{1,20}$/, 'must be the name of an engine: 1 to 20 of a-z')
    .optional(),
  auto_stop_minutes: AutoStop.default(null),
  protected: z.boolean({ error: 'must be true or false' }).default(false),
});

/** Changes of a computer; omitted fields keep their values. */
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
  /** Id of the key that created it; null for the first one and for keys of earlier versions. */
  created_by: z.string().nullable(),
});
export const CreateKey = z.object({ name: ComputerName });
export const CreatedKey = Key.extend({ key: z.string() });

/** An entry of a computer's audit log. */
export const Action = z.object({
  id: z.number().int(),
  at: Timestamp,
  /** The operation's name, for example "click". */
  action: z.string(),
  /** Numbers and short words that say what: coordinates, lengths. Never a text or code. */
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  key_id: z.string(),
  /** Null for a key that was revoked, and for the service itself. */
  key_name: z.string().nullable(),
  /** "ok", the code of the error, or "cancelled" when the client disconnected or ended it. */
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

/** An entry of an owner's audit log. */
export const AuditEntry = Action.extend({
  /** Null for operations on no computer: keys, projects, connections and owners. */
  computer_id: z.string().nullable(),
});

export const AuditQuery = ActionsQuery.extend({
  /** Only entries of the computer with this id, which may have been deleted. */
  computer: z.string().max(64).optional(),
});

/** Who a key belongs to, and what its owner may run at once. */
export const Me = z.object({
  user_id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  key: z.object({ id: z.string(), name: z.string() }),
  running: z.number().int(),
  max_running: z.number().int(),
});

/** A machine image, or a template: a booted machine to start others of its shape from. */
export const Image = z.object({
  name: z.string(),
  engine: z.string(),
  os: Os,
  /** Built from a recipe, an imported disk, or a template. */
  kind: z.enum(['image', 'disk', 'template']),
  /** `stale`: what it was made from has changed since. */
  status: z.enum(['ready', 'stale']),
  bytes: z.number().int(),
  created_at: Timestamp,
  recipe_hash: z.string().nullable(),
  /** Of a template: its key and the shape of its computers. */
  key: z.string().nullable(),
  cpu: z.number().int().nullable(),
  ram: z.number().int().nullable(),
  resolution: z.object({ width: z.number(), height: z.number() }).nullable(),
});

export const ImageList = z.object({
  images: z.array(Image),
  /** Engines that could not list their images. */
  failures: z.array(z.object({ engine: z.string(), reason: z.string() })),
});

export const Health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  engines: z.array(z.object({ name: z.string(), usable: z.boolean(), detail: z.string() })),
  store: z.object({ usable: z.boolean(), detail: z.string() }),
});

export type Computer = z.infer<typeof Computer>;
export type ComputerStats = z.infer<typeof ComputerStats>;
export type ComputerStatus = z.infer<typeof ComputerStatus>;
export type Project = z.infer<typeof Project>;
export type ProjectWithComputers = z.infer<typeof ProjectWithComputers>;
export type CreateProject = z.infer<typeof CreateProject>;
export type UpdateComputer = z.infer<typeof UpdateComputer>;
export type CreateComputer = z.infer<typeof CreateComputer>;
export type Key = z.infer<typeof Key>;
export type CreatedKey = z.infer<typeof CreatedKey>;
export type Action = z.infer<typeof Action>;
export type AuditEntry = z.infer<typeof AuditEntry>;
export type AuditQuery = z.infer<typeof AuditQuery>;
export type ActionsQuery = z.infer<typeof ActionsQuery>;
export type Me = z.infer<typeof Me>;
export type Image = z.infer<typeof Image>;
export type ImageList = z.infer<typeof ImageList>;
export type Health = z.infer<typeof Health>;
