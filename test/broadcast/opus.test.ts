// @module-tag slow
import { expect, it } from 'vitest';
import { OpusEncoder } from '../../src/broadcast/opus.js';
import { eventually } from '../support/eventually.js';
import { tone } from '../support/screen/tone.js';

it('encodes each 20 ms of sound as one packet', async () => {
  const packets: Buffer[] = [];
  const encoder = await OpusEncoder.open((packet) => packets.push(packet));
  const samples = tone(440, 1);
  for (let at = 0; at < samples.length; at += 3840) encoder.write(samples.subarray(at, at + 3840));
  await eventually(async () => packets.length >= 10);
  await encoder.kill();
  // The first byte says: CELT, of any bandwidth, 20 ms, stereo, one frame (RFC 6716, 3.1).
  for (const [first = 0] of packets) expect(first & 0b1001_1111).toBe(0b1001_1100);
});

it('loses sound that the encoder does not take in time', async () => {
  let packets = 0;
  const encoder = await OpusEncoder.open(() => {
    packets += 1;
  });
  const piece = tone(440, 1).subarray(0, 3840);
  for (let i = 0; i < 10_000; i++) encoder.write(piece);
  await eventually(async () => packets >= 10);
  encoder.finish();
  await encoder.ended;
  expect(packets).toBeLessThan(100);
});
