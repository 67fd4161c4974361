import { PassThrough, Readable } from 'node:stream';
import type { Shell, SpawnInput } from '../../src/shell/types.js';

const entry = { name: 'x', type: 'file', size: 1, mode: 0o644, mtime: 0 } as const;
const at = new Date(0);
const job = (id: string) => ({
  ...{ id, pid: 7, status: 'exited', exitCode: 0, command: 'true', startedAt: at, endedAt: at },
  ...{ outputBytes: 0, truncated: false },
});

const isBrowser = (input: SpawnInput) =>
  'argv' in input && input.argv.some((word) => word.includes('vc-browser'));

/** A guest where every file and job exists, and every program exits at once. */
export const fullShell = {
  spawn: async (input) => ({
    stdin: new PassThrough(),
    // It has no browser.
    stdout: Readable.from(isBrowser(input) ? [Buffer.from('missing\n')] : []),
    stderr: Readable.from([]),
    exit: Promise.resolve({ code: 0, signal: null }),
    end: async () => undefined,
    resize: () => undefined,
    kill: async () => undefined,
  }),
  connect: async () => Readable.from([]).pipe(new PassThrough()),
  files: {
    read: async (path, use) =>
      use({
        ...{ ...entry, path, stream: Readable.from([Buffer.from('x')]), size: 1 },
        part: () => Readable.from([Buffer.from('x')]),
      }),
    write: async (path, data) => {
      let size = 0;
      for await (const chunk of data) size += chunk.length;
      return { path, size };
    },
    entry: async (path) => ({ ...entry, path }),
    list: async (path) => ({ path, entries: [entry] }),
    makeDirectory: async (path) => ({ path, created: true }),
    makeLink: async (path) => ({ path }),
    remove: async () => undefined,
    rename: async (_, path) => ({ path }),
  },
  jobs: {
    list: async () => [job('job_a')],
    get: async (id) => ({ ...job(id), output: '', nextOffset: 0 }),
    end: async (id) => job(id),
    settled: async (ids) => ids.map(job),
  },
} as Pick<Shell, 'spawn' | 'connect' | 'files' | 'jobs'>;
