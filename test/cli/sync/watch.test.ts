// @module-tag slow
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import type { Context } from '../../../src/cli/framework/context.js';
import { copyAndWatch } from '../../../src/cli/sync/watch.js';
import { openClient } from '../../../src/cli/targets/client.js';
import { API_KEY, computer, openWorld, type World } from '../support/run.js';

let world: World;
let directory: string;
let context: Context;
let stop: AbortController;
let socket: Promise<WebSocket>;
beforeEach(async () => {
  world = await openWorld();
  directory = mkdtempSync(join(tmpdir(), 'vc-watch-'));
  stop = new AbortController();
  const client = openClient({ baseUrl: world.service.baseUrl, apiKey: API_KEY });
  const interrupts = { signal: stop.signal };
  context = { interrupts, client: async () => client } as unknown as Context;
  socket = new Promise((resolve) => {
    world.service.onProcess((_, opened) => {
      opened.send(Buffer.from('\u0001\n'));
      resolve(opened);
    });
  });
});
afterEach(async () => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true, force: true });
  await world.close();
});

const copyAndWatchWith = (copy: () => Promise<unknown>) =>
  copyAndWatch(context, {
    address: { id: computer.id },
    local: directory,
    remote: '/home/user',
    copy,
    gone: async () => new Error('gone'),
  });

test('a target that still differs after a copy is not copied again without a change', async () => {
  const copied = vi.fn(async () => 1);
  const end = copyAndWatchWith(copied).catch(() => {});
  await vi.waitFor(() => expect(copied).toHaveBeenCalled(), 10_000);
  vi.useFakeTimers();
  (await socket).send(Buffer.from('\u0001\n'));
  await vi.waitFor(() => expect(copied).toHaveBeenCalledTimes(2), 10_000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(copied).toHaveBeenCalledTimes(2);
  stop.abort();
  await end;
});

test('a directory that cannot be watched ends the program in the computer', async () => {
  rmSync(directory, { recursive: true });
  const closed = socket.then((opened) => once(opened, 'close'));
  await expect(copyAndWatchWith(async () => 0)).rejects.toThrow(
    `cannot watch ${directory}: ENOENT`,
  );
  await closed;
});
