import { execa } from 'execa';

const RATE = 48_000;

/** A tone as 16 bit, 48 kHz, stereo. */
export function tone(hertz: number, seconds: number): Buffer {
  const samples = Buffer.alloc(RATE * seconds * 4);
  for (let i = 0; i < RATE * seconds; i++) {
    const level = Math.round(12_000 * Math.sin((2 * Math.PI * hertz * i) / RATE));
    samples.writeInt16LE(level, 4 * i);
    samples.writeInt16LE(level, 4 * i + 2);
  }
  return samples;
}

/** Times per second that the left channel rises through zero; 0 for silence. */
export function frequencyOf(samples: Buffer): number {
  let rises = 0;
  let last = 0;
  for (let at = 0; at + 4 <= samples.length; at += 4) {
    const level = samples.readInt16LE(at);
    // A margin, since silence from a codec is not all zero.
    if (last < 0 && level >= 100) rises += 1;
    if (Math.abs(level) >= 100) last = level;
  }
  return rises / (samples.length / (4 * RATE));
}

/** The sound of a file or an RTMP stream as 16 bit, 48 kHz, stereo. */
export async function decodeSound(file: string | Buffer, seconds?: number): Promise<Buffer> {
  const input = typeof file === 'string' ? file : 'pipe:0';
  const limit = seconds === undefined ? [] : ['-t', String(seconds)];
  const args = ['-loglevel', 'error', '-i', input, '-vn', ...limit];
  const { stdout } = await execa(
    'ffmpeg',
    [...args, '-f', 's16le', '-ar', '48000', '-ac', '2', '-'],
    {
      ...(typeof file === 'string' ? { stdin: 'ignore' } : { input: file }),
      encoding: 'buffer',
    },
  );
  return Buffer.from(stdout);
}
