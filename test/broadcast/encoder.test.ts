import { afterEach, expect, it, vi } from 'vitest';
import { Encoder } from '../../src/broadcast/encoder.js';
import { encoderArguments } from '../../src/broadcast/video.js';
import { promise } from '../support/run/promise.js';

const size = { width: 64, height: 48 };
const video = { fps: 30, bitrate: 1000 };
afterEach(() => void vi.unstubAllEnvs());

it('names the remedy if ffmpeg is missing', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  const opened = Encoder.open(size, video, 'flv');
  const remedy = expect.stringContaining('vc setup');
  await expect(opened).rejects.toMatchObject({ code: 'unsupported', remedy });
});

promise(9, 'lets ffmpeg open its own pipes and nothing else, before any input or output', () => {
  for (const container of ['flv', 'mp4'] as const) {
    const args = encoderArguments(size, video, container);
    const whitelist = args.indexOf('-protocol_whitelist');
    expect(args[whitelist + 1]).toBe('pipe');
    expect(whitelist).toBeLessThan(args.indexOf('-i'));
    expect(args.at(-1)).toBe('pipe:1');
  }
});
