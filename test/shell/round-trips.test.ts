import type { Client } from 'ssh2';
import { expect, it, vi } from 'vitest';
import { RoundTrips } from '../../src/shell/round-trips.js';

it('a guest that does not reply to requests is disconnected', () => {
  const replies: (() => void)[] = [];
  const unforwardIn = (_host: string, _port: number, done: () => void) => replies.push(done);
  const fail = vi.fn();
  const roundTrips = new RoundTrips({ unforwardIn } as unknown as Client, fail);
  const begin = (count: number) => {
    for (let sent = 0; sent < count; sent++) roundTrips.begin(() => undefined);
  };
  begin(2048);
  for (const reply of replies.splice(0)) reply();
  begin(2048);
  expect(fail).not.toHaveBeenCalled();
  begin(1);
  expect(fail).toHaveBeenCalledOnce();
  expect(replies).toHaveLength(2048);
});
