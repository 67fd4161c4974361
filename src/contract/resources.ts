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

export const CreateComputer = z.object({
  name: ComputerName,
  os: Os.default('linux'),
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
  auto_stop_minutes: integer(1, 525_600).nullable().default(null),
});

export const Key = z.object({
  id: z.string(),
  name: z.string(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
});
export const CreateKey = z.object({ name: ComputerName });
export const CreatedKey = Key.extend({ key: z.string() });

export const Health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  engines: z.array(z.object({ name: z.string(), usable: z.boolean(), detail: z.string() })),
});

export type Computer = z.infer<typeof Computer>;
export type ComputerStatus = z.infer<typeof ComputerStatus>;
export type Project = z.infer<typeof Project>;
export type ProjectWithComputers = z.infer<typeof ProjectWithComputers>;
export type CreateProject = z.infer<typeof CreateProject>;
export type CreateComputer = z.infer<typeof CreateComputer>;
export type Key = z.infer<typeof Key>;
export type CreatedKey = z.infer<typeof CreatedKey>;
export type Health = z.infer<typeof Health>;
