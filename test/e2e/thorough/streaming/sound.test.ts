import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { execa } from 'execa';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { live, openBrowser } from '../../../support/screen/browser.js';
import { frequencyOf, tone } from '../../../support/screen/tone.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';

let desktop: OwnDesktop;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-sound-'));
  desktop = await openOwnDesktop();
  await desktop.computer.files.write('/home/user/tone.raw', tone(440, 10));
});
afterAll(async () => {
  await desktop.close();
  await rm(directory, { recursive: true });
});

const call = (method: string, path: string, body?: unknown) =>
  desktop.service.http(method, `/computers/${desktop.id}${path}`, body);

/** Plays the tone in the background. */
const PLAY = 'paplay --raw --rate=48000 --channels=2 --format=s16le /home/user/tone.raw';
const play = () => desktop.run(`${PLAY} >/dev/null 2>&1 &`);
const silence = () => desktop.run('pkill -x paplay; true');
const processes = (name: string) => desktop.run(`pgrep -xc ${name} || true`);

it('costs no process until a program plays or someone listens', async () => {
  await silence();
  expect((await processes('pulseaudio')).trim()).toBe('0');
});

it('is in step with the picture', async () => {
  await desktop.run(
    `cat >flash.sh <<'END'
printf '\\033]11;#000000\\007\\033[?25l'; sleep 3
${PLAY} & printf '\\033]11;#ffffff\\007'; sleep 3; kill $!
END
    xterm -fullscreen +sb -e bash flash.sh >/dev/null 2>&1 & sleep 1`,
  );
  const clip = join(directory, 'flash.mp4');
  const record = ['computer', 'record', 'e2e/desktop', '-o', clip, '--for', '5s', '--fps', '30'];
  expect(await desktop.service.cli([...record, '--audio'])).toMatchObject({ code: 0 });
  const { stderr } = await execa('ffmpeg', [
    ...['-i', clip, '-vf', 'blackdetect=d=0.3:pix_th=0.3:pic_th=0.7'],
    ...['-af', 'silencedetect=n=-30dB:d=0.3', '-f', 'null', '-'],
  ]);
  const white = Number(/black_end:([\d.]+)/.exec(stderr)?.[1]);
  const loud = Number(/silence_end: ([\d.]+)/.exec(stderr)?.[1]);
  console.log(`the sound is ${Math.round((loud - white) * 1000)} ms after the picture`);
  expect(Math.abs(loud - white), stderr).toBeLessThan(0.3);
});

it('of a file that is played into the microphone is recorded by programs, and not heard', async () => {
  const recorder = 'parec --raw --rate=48000 --channels=2 --format=s16le';
  await desktop.run(
    `${PLAY} --device=microphone_input & sleep 1
     ${recorder} | head -c 192000 >microphone.raw &
     ${recorder} --device=computer.monitor | head -c 192000 >speakers.raw
     wait $!; kill %1; wait`,
  );
  const recorded = async (name: string) =>
    frequencyOf(Buffer.from(await desktop.computer.files.read(name)));
  expect(await recorded('microphone.raw')).toBeCloseTo(440, -1);
  expect(await recorded('speakers.raw')).toBe(0);
});

/** Keeps what the page decodes, as it plays without a device. */
const KEEP_DECODED = `
  globalThis.heard = [];
  globalThis.AudioDecoder = class extends AudioDecoder {
    constructor({ output, error }) {
      const keep = (data) => {
        const left = new Float32Array(data.numberOfFrames);
        data.copyTo(left, { planeIndex: 0, format: 'f32-planar' });
        heard.push(...left);
        output(data);
      };
      super({ output: keep, error });
    }
  };`;

/** The last second that the page has decoded, as 16 bit, stereo. */
async function heardBy(page: Page): Promise<Buffer> {
  await eventually(async () => ((await page.evaluate('heard.length')) as number) >= 96_000);
  const levels = (await page.evaluate('heard.slice(-48_000)')) as number[];
  const samples = Buffer.alloc(levels.length * 4);
  for (const [i, level] of levels.entries())
    samples.writeInt16LE(Math.round(level * 32_000), 4 * i);
  return samples;
}

it('is played by the live view when it is switched on, until it is muted', async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.addInitScript({ content: KEEP_DECODED });
    await page.goto((await desktop.computer.view('view')).url);
    await live(page);
    expect((await processes('parec')).trim()).toBe('0');
    await play();
    await page.click('#sound-button');
    expect(frequencyOf(await heardBy(page))).toBeCloseTo(440, -1);
    // Another listener shares the reader.
    const video = await desktop.computer.record({ audio: true, duration: 1 });
    expect((await processes('parec')).trim()).toBe('1');
    await buffer(video);
    await page.click('#sound-button');
    await eventually(async () => (await processes('parec')).trim() === '0');
    // One who leaves without muting.
    await page.click('#sound-button');
    await eventually(async () => (await processes('parec')).trim() === '1');
    await page.close();
    await eventually(async () => (await processes('parec')).trim() === '0');
  } finally {
    await browser.close();
    await silence();
  }
});

it('is not played by a browser that cannot decode it, which says so', async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.addInitScript({ content: 'delete globalThis.AudioDecoder;' });
    await page.goto((await desktop.computer.view('view')).url);
    await live(page);
    await page.click('#sound-button');
    const note = page.locator('#sound-note', { hasText: 'cannot decode Opus' });
    await note.waitFor();
    expect(await page.getAttribute('#sound-button', 'aria-pressed')).toBe('false');
  } finally {
    await browser.close();
  }
});

it('says what to do if the image has no sound', async () => {
  await desktop.run('sudo mv /usr/bin/parec /usr/bin/parec.gone');
  try {
    const answer = await call('GET', '/record?audio=1&duration=1');
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain('has no sound');
    expect(answer.remedy).toContain('vc image build');
  } finally {
    await desktop.run('sudo mv /usr/bin/parec.gone /usr/bin/parec');
  }
});
