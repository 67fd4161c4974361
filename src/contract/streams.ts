import { z } from 'zod';
import { FRAME_RATES } from './constants.js';
import {
  exactlyOne,
  flag,
  integer,
  oneOf,
  quantity,
  queryFlag,
  Success,
  Timestamp,
  upTo,
} from './primitives.js';

/** As projects are named: 1 to 64 letters, digits, `_`, `-`. */
export const ConnectionName = z
  .string({ error: 'must be a string' })
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')
  .meta({ description: 'Name of a stream target.', examples: ['studio'] });

/** The service validates the rest of the URL when it parses it. */
const Url = upTo(2048, z.string({ error: 'must be an rtmp or rtmps URL' }))
  .min(1, 'must be an rtmp or rtmps URL')
  .meta({
    description: 'An `rtmp` or `rtmps` URL, with the stream key or without it.',
    examples: ['rtmp://stream.example.com/live'],
  });

export const CreateConnection = z
  .object({
    name: ConnectionName.describe('Unique among the connections of the owner.'),
    url: Url,
    stream_key: upTo(1024, z.string({ error: 'must be a string' }))
      .min(1, 'must not be empty')
      .regex(/^[^\s\p{Cc}]*$/u, 'must have no spaces')
      .optional()
      .meta({
        description: 'Stored encrypted and never shown again; omitted if the URL contains it.',
        examples: ['s3cret'],
      }),
  })
  .meta({ id: 'CreateConnection', description: 'A stream target to save.' });

export const Connection = z
  .object({
    name: ConnectionName,
    url: z.string().meta({
      description: "The URL without the stream's name and the query, which can be secret.",
      examples: ['rtmp://stream.example.com/live'],
    }),
    has_stream_key: z
      .boolean()
      .describe(
        'True if something is stored that is not shown: a stream key or the rest of the URL.',
      ),
    created_at: Timestamp.describe('When the connection was created.'),
  })
  .meta({ id: 'Connection', description: 'A saved stream target.' });

export const ConnectionList = z
  .object({ connections: z.array(Connection).describe('Sorted by name.') })
  .meta({ id: 'ConnectionList', description: 'Stream targets of the owner.' });

const Fps = oneOf(FRAME_RATES, 'frames a second').describe('Frames per second.');
const Bitrate = integer(200, 20_000).describe('Bit rate of the video in kbit/s.');

export const StartStream = z
  .object({
    connection_name: ConnectionName.optional().describe('A saved stream target; instead of `url`.'),
    url: Url.optional().meta({
      description: 'An `rtmp` or `rtmps` URL with the stream key; instead of `connection_name`.',
      examples: ['rtmp://stream.example.com/live/s3cret'],
    }),
    fps: Fps.default(30),
    bitrate: Bitrate.default(3000),
    audio: flag()
      .default(false)
      .describe('With the sound of the computer in place of a silent track.'),
  })
  .refine(({ connection_name, url }) => (connection_name === undefined) !== (url === undefined), {
    message: 'must say where to stream to: connection_name, or url, not both',
    path: ['connection_name'],
  })
  .meta({
    id: 'StartStream',
    ...exactlyOne('connection_name', 'url'),
    description: 'Where to stream to, exactly one of `connection_name` and `url`, and how.',
  });

const Pid = z
  .number()
  .int()
  .meta({
    description: 'Process id of the encoder on the host of the service.',
    examples: [4321],
  });

export const StreamStarted = Success.extend({
  status: z.literal('streaming').describe('The first frame has been sent.'),
  pid: Pid,
  start_time: Timestamp.describe('When the stream was started.'),
}).meta({ id: 'StreamStarted', description: 'The stream runs.' });

export const StreamStatus = z
  .object({
    status: z
      .enum(['idle', 'streaming', 'terminated'])
      .describe('`terminated`: the last stream has failed; `idle`: there is none.'),
    start_time: Timestamp.optional().describe('When the stream was started.'),
    pid: Pid.optional(),
    message: z
      .string()
      .optional()
      .meta({
        description: 'Why the stream ended, or why it reconnects.',
        examples: ['The target closed the connection.'],
      }),
  })
  .meta({ id: 'StreamStatus', description: 'The state of the stream of a computer.' });

const fromQuery = <S extends z.ZodType>(schema: S) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    schema,
  );

export const RecordQuery = z.object({
  duration: fromQuery(quantity(0.5, 86_400, 'seconds').optional()).meta({
    description: 'Seconds to record. Without it until the client disconnects.',
    examples: [10],
  }),
  fps: fromQuery(Fps.default(30)),
  bitrate: fromQuery(Bitrate.default(3000)),
  audio: queryFlag('0').describe('`1`: with the sound of the computer.'),
});

export type Connection = z.infer<typeof Connection>;
export type CreateConnection = z.infer<typeof CreateConnection>;
export type StartStream = z.infer<typeof StartStream>;
export type StreamStarted = z.infer<typeof StreamStarted>;
export type StreamStatus = z.infer<typeof StreamStatus>;
export type RecordQuery = z.infer<typeof RecordQuery>;
