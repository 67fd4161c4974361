import { z } from 'zod';

const usable = z.boolean().describe('Whether it works.');
const detail = z
  .string()
  .meta({ description: 'Its state in one line; empty without a key.', examples: ['QEMU 10.0'] });

export const Health = z
  .object({
    status: z
      .enum(['ok', 'degraded'])
      .describe('`ok` if the store and at least one engine can be used.'),
    version: z.string().meta({
      description: 'Version of the service; empty without a key.',
      examples: ['0.1.0'],
    }),
    engines: z
      .array(
        z.object({
          name: z.string().describe('Name of the engine, for example `qemu`.'),
          usable,
          detail,
        }),
      )
      .describe('Engines, the preferred one first.'),
    store: z
      .object({ usable, detail: detail.meta({ examples: ['1.2 GB free'] }) })
      .describe('The database of the service.'),
  })
  .meta({ id: 'Health', description: 'State of the service.' });

export type Health = z.infer<typeof Health>;
