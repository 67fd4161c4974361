import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Preloaded into a service under test to record its answers. */
export const RECORDER = fileURLToPath(new URL('./record-requests.js', import.meta.url));

const directory =
  process.env.VC_TEST_REQUESTS ??
  fileURLToPath(new URL('../../../../node_modules/.cache/vc-requests/', import.meta.url));

/** The file where the services of an engine's end-to-end tests record successful requests. */
export const requestsFile = (engine: string): string => join(directory, engine);

/** Empties the record before an engine's end-to-end tests. */
export function forgetRequests(engine: string): void {
  mkdirSync(directory, { recursive: true });
  for (const suffix of ['', '.answers'])
    rmSync(`${requestsFile(engine)}${suffix}`, { force: true });
}

/** An answered request, and whether it came over HTTP or from the CLI. */
export interface Answered {
  readonly surface: string;
  readonly method: string;
  readonly path: string;
}

/** Successful requests of an engine's latest end-to-end tests. */
export function readRequests(engine: string): Answered[] {
  const lines = new Set(readFileSync(requestsFile(engine), 'utf8').trim().split('\n'));
  return [...lines].map((line) => {
    const [surface = '', method = '', path = ''] = line.split(' ');
    return { surface, method, path: path.replace(/^\/api(?=\/)/, '') };
  });
}

/** An answer of a service, with its JSON body if it is not too long. */
export interface RecordedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Media type; empty without a body. */
  readonly type: string;
  /** The header `x-error-code`. */
  readonly code?: string;
  /** It has the header `x-request-id`. */
  readonly hasId: boolean;
  readonly body?: unknown;
}

/** Answers of an engine's latest end-to-end tests, one of each kind. */
export function readAnswers(engine: string): RecordedAnswer[] {
  const text = readFileSync(`${requestsFile(engine)}.answers`, 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as RecordedAnswer);
}
