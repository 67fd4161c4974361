// @module-tag slow
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialSocket, NotListening } from '../../../../src/engines/containers/screen/socket.js';

let directory: string;
let hostSocket: string;
let server: Server;
beforeEach(async () => {
  const root = mkdtempSync(join(tmpdir(), 'vc-dial-'));
  directory = join(root, 'machine');
  hostSocket = join(root, 'host.sock');
  mkdirSync(directory);
  server = await listen(hostSocket);
});
afterEach(() => {
  server.close();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

function listen(path: string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).end('hello');
    }).listen(path, () => resolve(server));
  });
}

describe.runIf(process.platform === 'linux')('dialSocket', () => {
  it("connects to the machine's socket", async () => {
    const screen = await listen(join(directory, 'rfb.sock'));
    const stream = await dialSocket(directory, 'rfb.sock');
    let text = '';
    for await (const chunk of stream) text += chunk;
    expect(text).toBe('hello');
    screen.close();
  });

  it('survives a reset before the stream has an error listener', async () => {
    const resetting = createServer({ pauseOnConnect: true }).listen(join(directory, 'rfb.sock'));
    await once(resetting, 'listening');
    const accepting = once(resetting, 'connection');
    const stream = await dialSocket(directory, 'rfb.sock');
    const [accepted] = (await accepting) as [Socket];
    const closed = new Promise((resolve) => stream.on('close', resolve));
    // Closing a socket that has unread data resets the connection.
    await new Promise((resolve) => stream.write('unread', resolve));
    accepted.destroy();
    stream.resume();
    await closed;
    expect(stream.errored).toMatchObject({ code: 'ECONNRESET' });
    resetting.close();
  });

  it('connects to a path of any length', async () => {
    const long = join(directory, 'd'.repeat(100), 'e'.repeat(100));
    mkdirSync(long, { recursive: true });
    execFileSync('python3', [
      '-c',
      'import os, socket, sys; os.chdir(sys.argv[1]); s = socket.socket(socket.AF_UNIX); s.bind("rfb.sock")',
      long,
    ]);
    // The socket is found; its listener has exited.
    await expect(dialSocket(long, 'rfb.sock')).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it("never follows a guest's link to a socket of the host", async () => {
    symlinkSync(hostSocket, join(directory, 'rfb.sock'));
    await expect(dialSocket(directory, 'rfb.sock')).rejects.toMatchObject({ code: 'guest_failed' });
  });

  it.each(['file', 'fifo', 'directory'])('refuses a %s at once', async (kind) => {
    const path = join(directory, 'rfb.sock');
    if (kind === 'file') writeFileSync(path, '');
    else if (kind === 'fifo') execFileSync('mkfifo', [path]);
    else mkdirSync(path);
    await expect(dialSocket(directory, 'rfb.sock')).rejects.toMatchObject({ code: 'guest_failed' });
  });

  it('reports a socket that does not exist yet', async () => {
    await expect(dialSocket(directory, 'rfb.sock')).rejects.toBeInstanceOf(NotListening);
  });

  it("rejects with its signal's reason", async () => {
    await listen(join(directory, 'rfb.sock'));
    const reason = new Error('left');
    await expect(dialSocket(directory, 'rfb.sock', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
