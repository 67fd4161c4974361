// @module-tag slow
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import { Encoder } from '../../src/broadcast/encoder.js';
import { SoundBuffer } from '../../src/broadcast/sound.js';
import { encoderArguments } from '../../src/broadcast/video.js';
import { promise } from '../support/run/promise.js';
import { decodeSound, frequencyOf, tone } from '../support/screen/tone.js';

const size = { width: 64, height: 48 };
const video = { fps: 30, bitrate: 1000 };
afterEach(() => void vi.unstubAllEnvs());

it('names the remedy if ffmpeg is missing', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  const opened = Encoder.open(size, { container: 'flv', video });
  const remedy = expect.stringContaining('vc setup');
  await expect(opened).rejects.toMatchObject({ code: 'unsupported', remedy });
});

promise(9, 'lets ffmpeg open its own pipes and nothing else, before any input or output', () => {
  for (const container of ['flv', 'mp4'] as const) {
    const args = encoderArguments(size, { ...video, container, track: 'sound' });
    const whitelist = args.indexOf('-protocol_whitelist');
    expect(args[whitelist + 1]).toBe('pipe');
    expect(whitelist).toBeLessThan(args.indexOf('-i'));
    expect(args.at(-1)).toBe('pipe:1');
  }
});

it.each([15, 60])('writes the sound that belongs to each of %i frames a second', async (fps) => {
  const sound = new SoundBuffer();
  // A frame is larger than a pipe: it is taken only when ffmpeg has read those before it.
  const large = { width: 640, height: 480 };
  const options = { container: 'mp4', video: { fps, bitrate: 1000 }, sound } as const;
  const encoder = await Encoder.open(large, options);
  const file = buffer(encoder.output);
  const frame = Buffer.alloc((large.width * large.height * 3) / 2);
  const samples = tone(440, 2);
  const bytes = samples.length / (2 * fps);
  for (let at = 0; at < samples.length; at += bytes) {
    sound.push(samples.subarray(at, at + bytes));
    await new Promise<void>((taken) => encoder.write(frame, taken));
  }
  encoder.finish();
  const heard = await decodeSound(await file);
  // Without the delay of the buffer and a packet of the codec.
  expect(heard.length / (48_000 * 4)).toBeCloseTo(2, 0);
  expect(frequencyOf(heard)).toBeCloseTo(440, -1);
});
