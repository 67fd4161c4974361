import { ApiError } from '../../contract/errors.js';
import { excerpt } from '../../lib/text/printable.js';

/** The debugging socket of a browser in the guest. */
export interface BrowserEndpoint {
  readonly port: number;
  /** Path of the socket of the whole browser, which is new at each start. */
  readonly path: string;
  /** False if it was running already. */
  readonly started: boolean;
}

const FOUND = /^(running|started) (\d{1,5}) (\/devtools\/browser\/[0-9A-Za-z-]{1,64})$/;

const PROBLEMS: Readonly<Record<string, () => ApiError>> = {
  missing: () =>
    new ApiError('unsupported', 'This computer has no Chromium.', {
      remedy: 'Use a computer with the image linux.',
    }),
  occupied: () =>
    new ApiError('conflict', 'A Chromium that nobody can connect to uses the profile.', {
      remedy: 'Close its windows, or use the profile temporary.',
    }),
  ended: () =>
    new ApiError('guest_failed', 'Chromium ended when it was started.', {
      remedy: 'Check its options, and start it in the computer to see its message.',
    }),
};

/** Parses the line of scripts.ts. Throws ApiError when there is no browser to connect to. */
export function parseEndpoint(line: string): BrowserEndpoint {
  const [, word, digits, path = ''] = FOUND.exec(line.trim()) ?? [];
  const port = Number(digits);
  if (port >= 1 && port <= 65_535) return { port, path, started: word === 'started' };
  const problem = PROBLEMS[line.trim()];
  if (problem) throw problem();
  if (line === '') {
    throw new ApiError('guest_timeout', 'Chromium did not open its debugging port in time.');
  }
  throw new ApiError('guest_failed', `The computer did not start Chromium: ${excerpt(line)}.`);
}
