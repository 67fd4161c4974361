import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { InputRates } from '../../src/broadcast/input-rate.js';
import { encoderArguments } from '../../src/broadcast/video.js';

const LARGE = { width: 3840, height: 2160 };
const USUAL = { width: 1280, height: 800 };

it('writes fewer frames for large videos beyond an owner’s part, not for those of others', () => {
  const rates = new InputRates();
  const ofA = [1, 2, 3, 4].map(() => rates.reserve('a', LARGE, 60));
  expect(ofA.map(({ fps }) => fps)).toEqual([60, 8, 8, 8]);
  expect(rates.reserve('b', USUAL, 60).fps).toBe(60);
  expect(rates.reserve('b', LARGE, 60).fps).toBe(8);
});

it('writes every frame of several usual videos', () => {
  const rates = new InputRates();
  const fps = Array.from({ length: 16 }, () => rates.reserve('a', USUAL, 30).fps);
  expect(new Set(fps)).toEqual(new Set([30]));
});

it('gives back the rate of a video that ended, once', () => {
  const rates = new InputRates();
  const first = rates.reserve('a', LARGE, 60);
  expect(rates.reserve('a', LARGE, 60).fps).toBe(8);
  first.release();
  first.release();
  expect(rates.reserve('a', LARGE, 30).fps).toBe(30);
  expect(rates.reserve('a', LARGE, 30).fps).toBe(15);
});

const hasFfmpeg = spawnSync('ffprobe', ['-version']).status === 0;

it.runIf(hasFfmpeg)(
  'a video of fewer frames keeps its rate and its length',
  { timeout: 60_000 },
  () => {
    const size = { width: 64, height: 48 };
    const video = { fps: 60, bitrate: 1000, inputFps: 15 };
    const input = Buffer.alloc(30 * size.width * size.height * 1.5, 100);
    const directory = mkdtempSync(join(tmpdir(), 'vc-video-'));
    try {
      const file = join(directory, 'video.mp4');
      writeFileSync(file, execFileSync('ffmpeg', encoderArguments(size, video, 'mp4'), { input }));
      const entries = ['-count_frames', '-show_entries', 'stream=r_frame_rate,nb_read_frames'];
      const found = execFileSync('ffprobe', ['-v', 'error', ...entries, '-of', 'csv=p=0', file]);
      expect(found.toString().trim()).toBe('60/1,120');
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
);
