import { type ErrorCode, errorCatalogue, isErrorCode } from '../errors.js';
import type { Json } from '../operations/operation.js';
import { refTo } from './schemas.js';

const text = (description: string, example: string): Json => ({
  description,
  schema: { type: 'string', examples: [example] },
});

/** Headers of answers, by the name of their component. */
export const headers = {
  RequestId: text(
    'Id of the request. The log of the service has the same id.',
    'req_7f3k2m9q4w8e1r6t5y0b',
  ),
  ApiVersion: {
    description: 'Version of the interface.',
    schema: { type: 'string', examples: ['1'] },
  },
  ErrorRemedy: text(
    'What to do next, in one line, often a `vc` command. Absent if there is nothing to suggest. Percent-encoded UTF-8: decode it with `decodeURIComponent`.',
    'Start it: vc start demo/desktop',
  ),
  Warning: text(
    'Names fields of the request that the operation does not have; they were ignored. Encoded like `x-error-remedy`.',
    'unknown field "buton" was ignored. Did you mean "button"?',
  ),
  Budget: text(
    'Budgets of the API key of which at least 80 % are used, with what was used and the limit.',
    'max_actions=812/1000',
  ),
  RetryAfter: {
    description: 'Seconds to wait before the request is repeated.',
    schema: { type: 'integer', examples: [1] },
  },
} as const satisfies Json;

export const header = (name: keyof typeof headers): Json => ({
  $ref: `#/components/headers/${name}`,
});

/** Names of the error answers, by status. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'InvalidRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  429: 'RateLimited',
  500: 'Failed',
  503: 'EngineUnavailable',
};

const MORE_HEADERS: Readonly<Record<number, Json>> = {
  401: {
    'www-authenticate': { description: 'Always `Bearer`.', schema: { const: 'Bearer' } },
  },
  429: { 'retry-after': header('RetryAfter') },
};

/** References to the error answers with these statuses. */
export function errorAnswers(statuses: readonly number[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${NAMES[status]}` }]),
  );
}

/** Every error answer by its name. */
export function errorResponses(): Json {
  return Object.fromEntries(
    Object.entries(NAMES).map(([status, name]) => [name, errorResponse(Number(status))]),
  );
}

function errorResponse(status: number): Json {
  const codes = Object.keys(errorCatalogue)
    .filter(isErrorCode)
    .filter((code) => errorCatalogue[code].status === status);
  return {
    description: codes.map(meaningOf).join('\n'),
    headers: {
      'x-error-code': {
        description: 'The code of the error.',
        schema: { type: 'string', enum: codes },
      },
      'x-error-remedy': header('ErrorRemedy'),
      'x-request-id': header('RequestId'),
      'x-api-version': header('ApiVersion'),
      ...MORE_HEADERS[status],
    },
    content: { 'application/json': { schema: refTo('Error') } },
  };
}

function meaningOf(code: ErrorCode): string {
  return `- \`${code}\`: ${errorCatalogue[code].meaning}`;
}

export const errorSchema: Json = {
  type: 'object',
  description: 'An error. Its code and remedy are in headers.',
  properties: {
    error: {
      type: 'string',
      description: 'What went wrong and where, in one line.',
      examples: ['x must be a number of pixels.'],
    },
  },
  required: ['error'],
};
