// @module-tag slow
import { expect, it } from 'vitest';
import {
  type Attempt,
  type Policy,
  ReconnectingStream,
} from '../../src/broadcast/reconnecting-stream.js';
import { ApiError } from '../../src/contract/errors.js';
import { collectGarbage } from '../support/run/memory.js';

const policy: Policy = {
  startMs: 1_000,
  giveUpMs: 10_000,
  steadyMs: 2_000,
  firstPauseMs: 100,
  longestPauseMs: 1_000,
};

/** A clock that advances only during sleeps. */
function fakeClock() {
  const clock = {
    time: 0,
    pauses: [] as number[],
    now: () => clock.time,
    sleep: async (ms: number) => {
      clock.pauses.push(ms);
      clock.time += ms;
    },
  };
  return clock;
}

const lost = () => new ApiError('target_failed', 'it closed the connection');
const forever: Attempt = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

function open(attempt: Attempt, clock = fakeClock()) {
  const troubles: string[] = [];
  const onTrouble = (message: string) => troubles.push(message);
  const label = 'rtmp://example.com';
  return {
    clock,
    troubles,
    stream: new ReconnectingStream({ attempt, label, policy, clock, onTrouble }),
  };
}

it("is live when the first frame is sent, and reports its encoder's process id", async () => {
  const { stream } = open((signal, onLive) => {
    onLive(42);
    return forever(signal, onLive);
  });
  await stream.live();
  expect(stream.status).toMatchObject({ status: 'streaming', pid: 42, message: undefined });
  await stream.end('stopped');
  expect(stream.status).toMatchObject({ status: 'terminated', message: 'stopped' });
});

it('gives up soon on a target that was never reachable', async () => {
  const { stream, clock } = open(() => Promise.reject(lost()));
  await expect(stream.live()).rejects.toThrow('it closed the connection');
  await stream.over;
  expect(clock.time).toBeLessThanOrEqual(policy.startMs);
  expect(clock.pauses).toEqual([100, 200, 400]);
});

it('reconnects with increasing delays, reports each failure, and gives up', async () => {
  let attempts = 0;
  const { stream, clock, troubles } = open(async (_, onLive) => {
    attempts += 1;
    if (attempts === 1) {
      onLive(1);
      clock.time += 5_000;
    }
    throw lost();
  });
  await stream.over;
  expect(clock.pauses.slice(0, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(clock.time).toBeLessThanOrEqual(5_000 + policy.giveUpMs);
  expect(clock.time).toBeGreaterThan(5_000 + policy.giveUpMs - 2 * policy.longestPauseMs);
  expect(troubles[0]).toContain('reconnecting');
  expect(stream.status.status).toBe('terminated');
  expect(stream.status.message).toBe('it closed the connection');
});

it('resets the failure count after a steady time, not after a short one', async () => {
  let attempts = 0;
  const { stream, clock } = open(async (_, onLive) => {
    attempts += 1;
    onLive(attempts);
    clock.time += attempts % 5 === 0 ? 3_000 : 1;
    if (attempts === 20) throw new ApiError('invalid_request', 'the end');
    throw lost();
  });
  await stream.over;
  expect(attempts).toBe(20);
  const four = [100, 200, 400, 800];
  expect(clock.pauses.slice(0, 10)).toEqual([...four, 100, 200, 400, 800, 1_000, 100]);

  const flicker = open(async (_, onLive) => {
    onLive(1);
    flicker.clock.time += 10;
    throw lost();
  });
  await flicker.stream.over;
  expect(flicker.clock.time).toBeLessThan(policy.giveUpMs + 1_000);
});

it('restarts at once when the screen is resized after a steady time', async () => {
  let attempts = 0;
  const { stream, clock } = open(async (signal, onLive) => {
    attempts += 1;
    onLive(attempts);
    clock.time += policy.steadyMs;
    if (attempts === 3) await forever(signal, onLive);
  });
  await expect.poll(() => attempts).toBe(3);
  expect(clock.pauses).toEqual([]);
  await stream.end('stopped');
});

it('restarts with increasing delays, without giving up, if resizes are frequent', async () => {
  let attempts = 0;
  const { stream, clock } = open(async (signal, onLive) => {
    attempts += 1;
    onLive(attempts);
    clock.time += attempts === 30 ? policy.steadyMs : 10;
    if (attempts === 32) await forever(signal, onLive);
  });
  await expect.poll(() => attempts).toBe(32);
  expect(clock.pauses.slice(0, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  // After one steady time it restarts at once again.
  expect(clock.pauses.slice(28)).toEqual([1_000, 100]);
  expect(clock.time).toBeGreaterThan(policy.giveUpMs);
  expect(stream.status.status).toBe('streaming');
  await stream.end('stopped');
});

it('keeps reconnecting to a target that is lost after many resizes', async () => {
  let attempts = 0;
  const { stream, clock } = open(async (_, onLive) => {
    attempts += 1;
    onLive(attempts);
    clock.time += 10;
    if (attempts === 20) throw lost();
    if (attempts === 21) throw new ApiError('invalid_request', 'the end');
  });
  await stream.over;
  expect(attempts).toBe(21);
  expect(clock.time).toBeGreaterThan(policy.giveUpMs);
});

it('does not retry a failure that a retry cannot fix', async () => {
  const refusal = new ApiError('invalid_request', 'not on the public internet');
  const { stream, clock } = open(() => Promise.reject(refusal));
  await expect(stream.live()).rejects.toBe(refusal);
  expect(clock.pauses).toEqual([]);
});

it('keeps nothing that its attempts use once it has ended', async () => {
  async function ended() {
    const picture = { bytes: Buffer.alloc(1_000) };
    const attempt: Attempt = async () => {
      throw new ApiError('invalid_request', `a picture of ${picture.bytes.length} bytes`);
    };
    const onTrouble = () => void picture.bytes;
    const stream = new ReconnectingStream({ attempt, label: 'rtmp://example.com', onTrouble });
    await stream.over;
    return { stream, picture: new WeakRef(picture) };
  }
  const { stream, picture } = await ended();
  await expect
    .poll(() => {
      collectGarbage();
      return picture.deref() === undefined;
    })
    .toBe(true);
  expect(stream.status.message).toBe('a picture of 1000 bytes');
});
