// @module-tag thorough
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/screen/ingest.js';
import { decodeSound, frequencyOf, tone } from '../../support/screen/tone.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

let desktop: Desktop;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-sound-'));
  desktop = await openDesktop();
  await desktop.computer.files.write('/home/user/tone.raw', tone(440, 30));
});
afterAll(async () => {
  await desktop.close();
  await rm(directory, { recursive: true });
});

const readers = async () => (await desktop.run('pgrep -xc parec || true')).trim();

/** Plays the tone in the background, and resolves when it is playing. */
async function play(): Promise<void> {
  await desktop.run(
    'paplay --raw --rate=48000 --channels=2 --format=s16le tone.raw >/dev/null 2>&1 &',
  );
  await desktop.until('pactl list short sink-inputs | grep -q .');
}
const silence = () => desktop.run('pkill -x paplay; true');

it('a tone that a program plays is in a recording that asks for sound, and only there', async () => {
  await play();
  const clip = join(directory, 'clip.mp4');
  const record = ['computer', 'record', desktop.name, '-o', clip, '--for', '4s', '--fps', '15'];
  expect(await desktop.service.cli([...record, '--audio'])).toMatchObject({ code: 0 });
  await silence();
  const heard = await decodeSound(clip);
  expect(heard.length / 192_000).toBeGreaterThan(3);
  expect(frequencyOf(heard)).toBeCloseTo(440, -1);
  // The reader has ended with its listener.
  await eventually(async () => (await readers()) === '0');

  expect(await desktop.service.cli(record)).toMatchObject({ code: 0 });
  const { stderr } = await execa('ffmpeg', ['-i', clip], { reject: false });
  expect(stderr).toContain('Video: h264');
  expect(stderr).not.toContain('Audio:');
});

it('a tone is in a stream in place of the silent track', async () => {
  const url = `rtmp://127.0.0.1:${await freePort()}/live/test`;
  const stored = join(directory, 'stream.flv');
  const server = execa(
    'ffmpeg',
    ['-nostdin', '-loglevel', 'error', '-listen', '1', '-i', url, '-t', '4', '-c', 'copy', stored],
    { reject: false },
  );
  await sleep(300);
  await play();
  await desktop.computer.startStream({ url, fps: 15, audio: true });
  await server;
  await desktop.computer.stopStream();
  await silence();
  expect(frequencyOf(await decodeSound(stored))).toBeCloseTo(440, -1);
  await eventually(async () => (await readers()) === '0');
});
