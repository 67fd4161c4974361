// @module-tag slow
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DirectWay, Shell } from '../../src/shell/types.js';
import { eventually } from '../support/eventually.js';
import { thorough } from '../support/run/tiers.js';
import { type Guest, openGuest } from './support/guest.js';
import { hostFiles } from './support/host-files.js';

const MiB = 1024 * 1024;
const content = randomBytes(9 * MiB + 1);

let root: string;
let home: string;
let sockets: string;
let guest: Guest | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vc-transfer-'));
  home = join(root, 'home');
  sockets = join(root, 'sockets');
  mkdirSync(home);
  mkdirSync(sockets);
  writeFileSync(join(home, 'large'), content);
});
afterEach(() => {
  guest?.close();
  guest = undefined;
  rmSync(root, { recursive: true, force: true });
});

interface Opened {
  readonly shell: Shell;
  readonly count: { read: number; written: number };
  /** Sockets connected to. */
  readonly names: string[];
}

/** A guest whose files are in `home`; `connect` in place of the engine's. */
async function open(connect?: DirectWay['connect']): Promise<Opened> {
  const { serve, count } = hostFiles(home);
  const names: string[] = [];
  const direct: DirectWay = {
    socketDirectory: sockets,
    connect: (name, signal) => {
      names.push(name);
      return connect ? connect(name, signal) : Promise.resolve(connectSocket(join(sockets, name)));
    },
  };
  guest = await openGuest({ onFiles: serve, direct });
  return { shell: guest.shell, count, names };
}

const chunks = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
    bytes.subarray(i * 65_536, (i + 1) * 65_536),
  );
const stored = (name: string) => readFileSync(join(home, name));

describe('a large file', () => {
  it('is read without SFTP, whole and in part', async () => {
    const { shell, count, names } = await open();
    await shell.files.read('large', async ({ stream, part, size }) => {
      expect(size).toBe(content.length);
      expect((await buffer(stream)).equals(content)).toBe(true);
      const some = await buffer(part(5, 9 * MiB - 5));
      expect(some.equals(content.subarray(5, 9 * MiB - 5))).toBe(true);
      expect(names).toHaveLength(2);
      expect(count.read).toBe(0);
      expect((await buffer(part(7, 9))).equals(content.subarray(7, 9))).toBe(true);
    });
    expect(names).toHaveLength(2);
    expect(readdirSync(sockets)).toEqual([]);
  });

  it('is written without SFTP, from the start if its size is known', async () => {
    const { shell, count } = await open();
    const written = await shell.files.write('copy', Readable.from(chunks(content)), {
      expectedBytes: content.length,
    });
    expect(written).toEqual({ path: join(home, 'copy'), size: content.length });
    expect(stored('copy').equals(content)).toBe(true);
    expect(count.written).toBe(0);
    await shell.files.write('copy', Readable.from(chunks(content)));
    expect(stored('copy').equals(content)).toBe(true);
    expect(count.written).toBeGreaterThanOrEqual(8 * MiB);
    expect(count.written).toBeLessThan(9 * MiB);
    expect(readdirSync(home).sort()).toEqual(['copy', 'large']);
  });

  thorough('is written even if its owner may not write to it', async () => {
    const { shell, count } = await open();
    const options = { mode: 0o444, expectedBytes: content.length };
    await shell.files.write('copy', Readable.from(chunks(content)), options);
    expect(stored('copy').equals(content)).toBe(true);
    expect(count.written).toBe(0);
  });

  it.each([
    ['there is no other way', async () => undefined],
    ['the other way fails', () => Promise.reject(new Error('not now'))],
  ])('passes through SFTP where %s', async (_, connect) => {
    const { shell, count, names } = await open(connect);
    await shell.files.write('copy', Readable.from(chunks(content)));
    expect(stored('copy').equals(content)).toBe(true);
    expect(count.written).toBe(content.length);
    await shell.files.read('large', async ({ stream }) => {
      expect((await buffer(stream)).equals(content)).toBe(true);
    });
    // It is not tried again.
    expect(names).toHaveLength(1);
  });

  thorough('passes through SFTP if its path leads to another file meanwhile', async () => {
    const { shell, count } = await open();
    await shell.files.read('large', async ({ stream }) => {
      // The open handle is still that of the file as it was.
      rmSync(join(home, 'large'));
      writeFileSync(join(home, 'large'), randomBytes(8 * MiB));
      expect((await buffer(stream)).equals(content)).toBe(true);
      expect(count.read).toBe(content.length);
    });
  });
});

describe('a small file', () => {
  it('always passes through SFTP', async () => {
    const { shell, count, names } = await open();
    const small = content.subarray(0, MiB);
    await shell.files.write('small', [small] as never, { expectedBytes: MiB });
    await shell.files.read('small', async ({ stream }) => {
      expect((await buffer(stream)).equals(small)).toBe(true);
    });
    expect(names).toEqual([]);
    expect(count).toEqual({ read: MiB, written: MiB });
  });
});

describe('a guest that listens in place of its program', () => {
  it('cannot send more bytes than the file has', async () => {
    const { shell } = await open(async () => Readable.from([Buffer.alloc(12 * MiB)]) as Duplex);
    await shell.files.read('large', async ({ stream }) => {
      expect(await buffer(stream)).toHaveLength(content.length);
    });
  });

  it('that sends too few fails the transfer', async () => {
    const { shell } = await open(async () => Readable.from([Buffer.alloc(5)]) as Duplex);
    const reading = shell.files.read('large', ({ stream }) => buffer(stream));
    await expect(reading).rejects.toMatchObject({
      code: 'guest_failed',
      message: expect.stringContaining('shrank'),
    });
  });

  it('that takes nothing leaves the old file, and little in memory', async () => {
    const server = createServer({ pauseOnConnect: true });
    const accepted: Socket[] = [];
    server.on('connection', (socket) => accepted.push(socket));
    const path = join(root, 'hostile');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const { shell } = await open(async () => connectSocket(path));
    let taken = 0;
    async function* counted() {
      for (const chunk of chunks(content)) {
        taken += chunk.length;
        yield chunk;
      }
    }
    const leaving = new AbortController();
    const reason = new Error('left');
    const writing = shell.files.write('large', counted(), {
      expectedBytes: content.length,
      signal: leaving.signal,
    });
    await eventually(async () => taken >= MiB);
    setTimeout(() => leaving.abort(reason), 50);
    await expect(writing).rejects.toBe(reason);
    expect(taken).toBeLessThan(3 * MiB);
    expect(stored('large').equals(content)).toBe(true);
    await eventually(async () => readdirSync(home).length === 1);
    for (const socket of accepted) socket.destroy();
    server.close();
  });

  it('that hangs up leaves the old file', async () => {
    const { shell } = await open(async () => {
      const stream = new PassThrough();
      stream.resume();
      setTimeout(() => stream.destroy(), 20);
      return stream;
    });
    const options = { expectedBytes: content.length };
    const writing = shell.files.write('large', endless(), options);
    await expect(writing).rejects.toMatchObject({ code: expect.stringMatching(/guest|invalid/) });
    expect(statSync(join(home, 'large')).size).toBe(content.length);
    expect(readdirSync(home)).toEqual(['large']);
  }, 20_000);
});

async function* endless() {
  for (;;) {
    yield Buffer.alloc(65_536);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
