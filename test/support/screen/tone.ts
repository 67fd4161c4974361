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

/**
 * Times per second that the left channel rises through zero, in half of the pieces of 100 ms that are
 * loud: a busy host may leave gaps. 0 for silence.
 */
export function frequencyOf(samples: Buffer): number {
  const pieces: number[] = [];
  const length = (RATE * 4) / 10;
  for (let start = 0; start + length <= samples.length; start += length) {
    const levels = Array.from({ length: length / 4 }, (_, i) => samples.readInt16LE(start + 4 * i));
    const rises = levels.flatMap((level, i) => ((levels[i - 1] ?? 1) < 0 && level >= 0 ? [i] : []));
    const [first = 0, last = first] = [rises[0], rises.at(-1)];
    if (Math.max(...levels) > 1_000 && last > first) {
      pieces.push(((rises.length - 1) * RATE) / (last - first));
    }
  }
  return pieces.sort((one, other) => one - other)[Math.floor(pieces.length / 2)] ?? 0;
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
