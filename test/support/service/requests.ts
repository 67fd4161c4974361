import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What runs in a service under test so that it records what it answered. */
export const RECORDER = fileURLToPath(new URL('./record-requests.js', import.meta.url));

const directory =
  process.env.VC_TEST_REQUESTS ??
  fileURLToPath(new URL('../../../node_modules/.cache/vc-requests/', import.meta.url));

/** Where the services of an engine's end-to-end tests write what they answered with success. */
export const requestsFile = (engine: string): string => join(directory, engine);

/** Begins anew, at the beginning of an engine's end-to-end tests. */
export function forgetRequests(engine: string): void {
  mkdirSync(directory, { recursive: true });
  rmSync(requestsFile(engine), { force: true });
}

/** An answered request: through which surface, and what was asked. */
export interface Answered {
  readonly surface: string;
  readonly method: string;
  readonly path: string;
}

/** What the services of an engine's latest end-to-end tests have answered with success. */
export function readRequests(engine: string): Answered[] {
  const lines = new Set(readFileSync(requestsFile(engine), 'utf8').trim().split('\n'));
  return [...lines].map((line) => {
    const [surface = '', method = '', path = ''] = line.split(' ');
    return { surface, method, path: path.replace(/^\/api(?=\/)/, '') };
  });
}
