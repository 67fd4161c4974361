import { z } from 'zod';
import { FRAME_RATES } from './constants.js';
import { integer, oneOf, quantity, Timestamp } from './primitives.js';

/** As projects are named: 1 to 64 letters, digits, `_`, `-`. */
export const ConnectionName = z
  .string({ error: 'must be a string' })
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"');

/** The service validates the rest of the URL when it parses it. */
const Url = z
  .string({ error: 'must be an rtmp or rtmps URL' })
  .min(1, 'must be an rtmp or rtmps URL')
  .max(2048, 'must be at most 2048 characters');

export const CreateConnection = z.object({
  name: ConnectionName,
  url: Url,
  /** Stored encrypted and never shown again; omitted if the URL contains it. */
  stream_key: z
    .string({ error: 'must be a string' })
    .min(1, 'must not be empty')
    .max(1024, 'must be at most 1024 characters')
    .regex(/^[^\s\p{Cc}]*$/u, 'must have no spaces')
    .optional(),
});

/** A stream target. */
export const Connection = z.object({
  name: z.string(),
  /** `scheme://host[:port]/app`, without the stream's name and the query, which can be secret. */
  url: z.string(),
  /** True when something is kept that is not shown: the stream key, or the rest of the URL. */
  has_stream_key: z.boolean(),
  created_at: Timestamp,
});

const Fps = oneOf(FRAME_RATES, 'frames a second');
/** Kilobits a second. */
const Bitrate = integer(200, 20_000);

export const StartStream = z
  .object({
    connection_name: ConnectionName.optional(),
    url: Url.optional(),
    fps: Fps.default(30),
    bitrate: Bitrate.default(3000),
  })
  .refine(({ connection_name, url }) => (connection_name === undefined) !== (url === undefined), {
    message: 'must say where to stream to: connection_name, or url, not both',
    path: ['connection_name'],
  });

export const StreamStarted = z.object({
  success: z.literal(true),
  status: z.literal('streaming'),
  /** Of the encoder on the machine of the service. */
  pid: z.number().int(),
  start_time: Timestamp,
});

export const StreamStatus = z.object({
  status: z.enum(['idle', 'streaming', 'terminated']),
  start_time: Timestamp.optional(),
  pid: z.number().int().optional(),
  /** Why it ended, or why it reconnects. */
  message: z.string().optional(),
});

const fromQuery = <S extends z.ZodType>(schema: S) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    schema,
  );

export const RecordQuery = z.object({
  /** Seconds; until the client leaves if left out. */
  duration: fromQuery(quantity(0.5, 86_400, 'seconds').optional()),
  fps: fromQuery(Fps.default(30)),
  bitrate: fromQuery(Bitrate.default(3000)),
});

export type Connection = z.infer<typeof Connection>;
export type CreateConnection = z.infer<typeof CreateConnection>;
export type StartStream = z.infer<typeof StartStream>;
export type StreamStarted = z.infer<typeof StreamStarted>;
export type StreamStatus = z.infer<typeof StreamStatus>;
export type RecordQuery = z.infer<typeof RecordQuery>;
