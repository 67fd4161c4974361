import { errorAnswers, header } from './errors.js';
import type { Json } from './schemas.js';

const request = (name: string, description: string, example: string): Json => ({
  ...{ name, in: 'header', required: false, description },
  schema: { type: 'string', examples: [example] },
});

const idempotencyKey = request(
  'Idempotency-Key',
  '1 to 255 printable ASCII characters without spaces. With the same key, path and body, the creation is carried out once in 24 hours in which the service runs; a repeated request gets the same answer.',
  '4f6b1c2e-5d0a-4c7e-9f3b-8a1d2e3c4b5a',
);
const ifNoneMatch = request(
  'If-None-Match',
  'An `etag` of an earlier answer: answers 304 if nothing has changed.',
  '"7f3k2m9q"',
);

/** Headers that operations read, apart from those of every request. */
export const requestHeaders: Readonly<Record<string, readonly Json[]>> = {
  createProject: [idempotencyKey],
  createComputer: [idempotencyKey],
  createComputerIn: [idempotencyKey],
  forkComputer: [idempotencyKey],
  screenshot: [ifNoneMatch],
  readFile: [
    request(
      'Range',
      'A part of the file: answers 206. Several ranges are ignored.',
      'bytes=0-1023',
    ),
    request(
      'If-Range',
      'The `etag` or `last-modified` of an earlier answer: without effect on an unchanged file; of a changed one the whole file is answered.',
      '"7f3k2m9q"',
    ),
    ifNoneMatch,
  ],
  streamEvents: [
    request(
      'Last-Event-ID',
      'Id of the last event that was received: the stream continues after it.',
      '3f7a9c21-42',
    ),
  ],
};

const etag = {
  description: 'Identifies the content, for `If-None-Match`.',
  schema: { type: 'string', examples: ['"7f3k2m9q"'] },
};
const unchanged: Json = {
  description: 'Nothing has changed; there is no body.',
  headers: { 'x-request-id': header('RequestId'), etag },
};

/** Headers of the answer 200, apart from those of every answer. */
export const answerHeaders: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(
    ['createProject', 'createComputer', 'createComputerIn', 'forkComputer'].map((name) => [
      name,
      {
        'idempotent-replayed': {
          description: 'Present if this is the answer to an earlier request with the same key.',
          schema: { const: 'true' },
        },
      },
    ]),
  ),
  screenshot: { etag },
  readFile: {
    etag,
    'accept-ranges': {
      description: '`none` for a file without a size.',
      schema: { type: 'string', enum: ['bytes', 'none'] },
    },
  },
};

/** Answers that only some operations have. */
export const moreAnswers: Readonly<Record<string, Json>> = {
  screenshot: { 304: unchanged },
  readFile: {
    206: {
      description: 'The requested part of the file.',
      headers: {
        'x-request-id': header('RequestId'),
        'content-range': {
          description: 'Which bytes of how many.',
          schema: { type: 'string', examples: ['bytes 0-1023/2048'] },
        },
        etag,
      },
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
    304: unchanged,
    ...errorAnswers([416]),
  },
};
