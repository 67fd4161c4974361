import { EventEmitter, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { Client } from 'ssh2';
import { expect } from 'vitest';
import { limitGuest } from '../../src/shell/guest-limits.js';
import { promise } from '../support/run/promise.js';

const MIB = 2 ** 20;

promise(29, 'a guest is read later while much of its output is unread', async () => {
  const channels = { update: (_id: number, _channel: unknown) => undefined };
  const client = Object.assign(new EventEmitter(), { _chanMgr: channels });
  const stream = new PassThrough();
  limitGuest(client as unknown as Client, stream, (error) => expect.fail(error.message));
  let unread = 2 * MIB;
  const open = (id: number) => {
    const channel = Object.assign(new Readable({ read() {} }), { stderr: new Readable() });
    Object.defineProperty(channel, 'readableLength', { get: () => unread });
    channels.update(id, channel);
  };
  for (let id = 0; id < 60; id++) open(id);
  stream.emit('data', Buffer.of(0));
  expect(stream.isPaused()).toBe(false);
  for (let id = 60; id < 70; id++) open(id);
  stream.emit('data', Buffer.of(0));
  expect(stream.isPaused()).toBe(true);
  unread = 0;
  await once(stream, 'resume');
});
