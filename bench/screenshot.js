/**
 * Measures pictures of the screen from the framebuffer to the bytes, in this checkout and another one
 * with `npm ci` done, in turn in one process: milliseconds, processor time and bytes.
 *
 *   node bench/screenshot.js ../other-checkout [ROUNDS]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import sharp from 'sharp';
import { quantiles } from './measure.js';

const [other, rounds = '60'] = process.argv.slice(2);
if (other === undefined) throw new Error('usage: node bench/screenshot.js OTHER_CHECKOUT [ROUNDS]');

const HERE = resolve(import.meta.dirname, '..');
const SIZE = { width: 1280, height: 800 };
const PNG = { format: 'png', quality: 80, scale: 1, cursor: false };
const THUMBNAIL = { format: 'jpeg', quality: 60, scale: 0.25, cursor: false };

/** The screen's capture code of a checkout. */
async function load(checkout, directory) {
  const input = join(checkout, 'src/screen');
  const bundle = await rolldown({
    input: {
      screenshot: join(input, 'capture/screenshot.ts'),
      framebuffer: join(input, 'model/framebuffer.ts'),
    },
    external: ['sharp'],
    platform: 'node',
  });
  await bundle.write({ dir: directory, format: 'esm', entryFileNames: '[name].mjs' });
  await bundle.close();
  const { Screenshots } = await import(join(directory, 'screenshot.mjs'));
  const { Framebuffer } = await import(join(directory, 'framebuffer.mjs'));
  return { Screenshots, Framebuffer };
}

function open({ Screenshots, Framebuffer }) {
  const framebuffer = new Framebuffer(SIZE);
  const connection = { framebuffer, updating: false, isOpen: true, once: () => {} };
  const screenshots = new Screenshots(connection, { at: { x: 0, y: 0 } }, '');
  return { framebuffer, screenshots };
}

/** Pixels of a drawing, four bytes each. */
async function render({ width, height }, svg) {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${svg}</svg>`;
  return sharp(Buffer.from(text)).ensureAlpha().raw().toBuffer();
}

const WORDS = 'screen pixels band change window terminal computer service update request'.split(
  ' ',
);
const line = (seed, words) =>
  Array.from({ length: words }, (_, at) => WORDS[(seed * 7 + at * at + at) % WORDS.length]).join(
    ' ',
  );

function lines(seed, { size, step, count, words, colour }) {
  return Array.from({ length: count }, (_, row) => {
    const text = line(seed + row, 2 + ((seed + row) % words));
    return `<text x="4" y="${(row + 1) * step}" font-size="${size}" fill="${colour}" font-family="monospace">${text}</text>`;
  }).join('');
}

const desktop = () =>
  render(
    SIZE,
    `<rect width="100%" height="100%" fill="#2a4466"/><path d="M0 800 L1280 200 V800z" fill="#243b58"/>
    <rect y="770" width="1280" height="30" fill="#222"/>
    <text x="20" y="791" font-size="15" fill="#eee">Applications</text>`,
  );

const terminal = (size) => (seed) =>
  render(
    size,
    `<rect width="100%" height="100%" fill="#000"/>${lines(seed, {
      ...{ size: 12, step: 14, words: Math.floor(size.width / 60), colour: '#ddd' },
      count: Math.floor(size.height / 14),
    })}`,
  );

const page = (seed) =>
  render(
    SIZE,
    `<rect width="100%" height="100%" fill="#fff"/><rect width="100%" height="60" fill="#246"/>
    <g transform="translate(60 80)">${lines(seed, { size: 14, step: 18, count: 40, words: 18, colour: '#222' })}</g>`,
  );

/** Smooth shapes with the noise of a camera. */
function photo({ width, height }, seed) {
  const pixels = Buffer.alloc(width * height * 4);
  let random = seed + 1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      random = (Math.imul(random, 1103515245) + 12345) >>> 0;
      const light = 128 + 60 * Math.sin((x + 9 * seed) / 90) + 50 * Math.cos((y - 5 * seed) / 70);
      const noise = (random >>> 28) - 8;
      const at = (y * width + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        pixels[at + channel] = Math.max(0, Math.min(255, light * (1 - channel / 8) + noise));
      }
    }
  }
  return pixels;
}

const place = (x, y, width, height) => ({ x, y, width, height });
const whole = place(0, 0, SIZE.width, SIZE.height);
const small = place(100, 100, 244, 134);
const large = place(40, 20, 1200, 730);
const video = place(300, 200, 640, 360);
const CASES = [
  {
    what: 'still screen',
    region: place(0, 0, 1, 1),
    pixels: () => Buffer.from([42, 68, 102, 255]),
  },
  {
    what: 'a caret blinks',
    region: place(500, 300, 8, 16),
    pixels: (seed) => Buffer.alloc(8 * 16 * 4, seed % 2 ? 255 : 0),
  },
  { what: 'small terminal prints', region: small, pixels: terminal(small) },
  { what: 'large terminal prints', region: large, pixels: terminal(large) },
  { what: 'a page scrolls', region: whole, pixels: page },
  { what: 'video, 640x360', region: video, pixels: (seed) => photo(video, seed) },
  { what: 'video, whole screen', region: whole, pixels: (seed) => photo(whole, seed) },
];

/** One picture: milliseconds, milliseconds of all processors, bytes. */
async function measure({ screenshots }, options) {
  const used = process.cpuUsage();
  const startedAt = performance.now();
  const { data } = await screenshots.take(options);
  const time = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(used);
  return { time, processor: (user + system) / 1000, bytes: data.length };
}

async function compare({ what, region, pixels }, options, sides) {
  const frames = [];
  for (let seed = 0; seed < 6; seed++) frames.push(await pixels(seed));
  const background = await desktop();
  const opened = sides.map(open);
  const results = sides.map(() => []);
  for (const { framebuffer } of opened) framebuffer.write(whole, 0, background);
  for (let round = -6; round < Number(rounds); round++) {
    // Alternate the order, so that neither is always the second.
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      opened[at].framebuffer.write(region, 0, frames[(round + 6) % frames.length]);
      const result = await measure(opened[at], options);
      if (round >= 0) results[at].push(result);
    }
  }
  const median = (at, field) => quantiles(results[at].map((result) => result[field])).p50;
  const ms = (at, field) => median(at, field).toFixed(2);
  return {
    what,
    'other, ms': ms(0, 'time'),
    'this, ms': ms(1, 'time'),
    'other, CPU ms': ms(0, 'processor'),
    'this, CPU ms': ms(1, 'processor'),
    'CPU ratio': (median(1, 'processor') / median(0, 'processor')).toFixed(2),
    'other, kB': Math.round(median(0, 'bytes') / 1000),
    'this, kB': Math.round(median(1, 'bytes') / 1000),
  };
}

// In the checkout, so that its packages are found.
const directory = mkdtempSync(join(HERE, '.bench-'));
try {
  const sides = [
    await load(resolve(other), join(directory, 'other')),
    await load(HERE, join(directory, 'this')),
  ];
  const report = [];
  for (const one of CASES) report.push(await compare(one, PNG, sides));
  report.push(await compare({ ...CASES[2], what: 'thumbnail of the same' }, THUMBNAIL, sides));
  console.table(report);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
