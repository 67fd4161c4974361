import { expect, it } from 'vitest';
import { SOUND_BYTES_PER_SECOND, SoundBuffer } from '../../src/broadcast/sound.js';

const bytes = (ms: number) => (ms * SOUND_BYTES_PER_SECOND) / 1000;
const level = (value: number, ms: number) => Buffer.alloc(bytes(ms), value);
const isOnly = (value: number, taken: Buffer) => taken.every((byte) => byte === value);

it('is silent until there is enough for an even flow', () => {
  const sound = new SoundBuffer();
  sound.push(level(1, 90));
  expect(isOnly(0, sound.take(bytes(20)))).toBe(true);
  sound.push(level(1, 10));
  expect(isOnly(1, sound.take(bytes(20)))).toBe(true);
});

it('gives back what was added, in order, also across the end of its memory', () => {
  const sound = new SoundBuffer();
  sound.push(level(0, 100));
  sound.take(bytes(10));
  const given: number[] = [];
  const got: number[] = [];
  for (let i = 1; i < 200; i++) {
    given.push(i);
    sound.push(level(i, 10));
    got.push(sound.take(bytes(10))[0] ?? 0);
  }
  expect(got.slice(9)).toEqual(given.slice(0, got.length - 9));
});

it('fills a gap with silence, and waits for an even flow again', () => {
  const sound = new SoundBuffer();
  sound.push(level(1, 100));
  const last = sound.take(bytes(120));
  expect(isOnly(1, last.subarray(0, bytes(100)))).toBe(true);
  expect(isOnly(0, last.subarray(bytes(100)))).toBe(true);
  sound.push(level(2, 50));
  expect(isOnly(0, sound.take(bytes(20)))).toBe(true);
});

it('drops the oldest of what nobody takes', () => {
  const sound = new SoundBuffer();
  for (let i = 1; i <= 100; i++) sound.push(level(i, 100));
  sound.push(level(101, 10_000));
  expect(isOnly(101, sound.take(bytes(3_000)))).toBe(true);
  expect(isOnly(0, sound.take(bytes(20)))).toBe(true);
});

it('skips sound that stays late', () => {
  const sound = new SoundBuffer();
  sound.push(level(1, 1_000));
  let taken: Buffer = Buffer.alloc(0);
  // Five seconds, and then what is left of the first.
  for (let i = 0; i < 501; i++) {
    sound.push(level(2, 10));
    taken = sound.take(bytes(10));
  }
  expect(isOnly(2, taken)).toBe(true);
  expect(isOnly(2, sound.take(bytes(100)))).toBe(true);
  expect(isOnly(0, sound.take(bytes(10)))).toBe(true);
});

it('keeps what pictures that were late take at once', () => {
  const sound = new SoundBuffer();
  const given: number[] = [];
  const got: number[] = [];
  for (let i = 1; i <= 100; i++) {
    given.push(i);
    sound.push(level(i, 10));
  }
  for (let i = 0; i < 100; i++) got.push(sound.take(bytes(10))[0] ?? 0);
  expect(got).toEqual(given);
});
