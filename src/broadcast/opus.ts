import { Ffmpeg, PIPES_ONLY } from './ffmpeg.js';
import { SAMPLE_RATE } from './sound.js';

const KILOBITS = 96;
const PACKET_MS = 20;
/** At a constant bit rate every packet has the same length, so that the output needs no container. */
const PACKET_BYTES = (KILOBITS * PACKET_MS) / 8;
/** Bytes of sound that wait for the encoder at most, a third of a second; more is lost. */
const MOST_WAITING = 64 * 1024;

const ARGUMENTS = [
  ...PIPES_ONLY,
  ...['-probesize', '32', '-analyzeduration', '0'],
  ...['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '2', '-i', 'pipe:0', '-map', '0:a'],
  ...['-c:a', 'libopus', '-b:a', `${KILOBITS}k`, '-vbr', 'off', '-application', 'lowdelay'],
  ...['-frame_duration', String(PACKET_MS), '-f', 'data', '-flush_packets', '1', 'pipe:1'],
];

/** Encodes sound as Opus packets of 20 ms (RFC 6716), 48 kHz and stereo, which `emit` gets one by one. */
export class OpusEncoder {
  readonly #ffmpeg: Ffmpeg;

  private constructor(ffmpeg: Ffmpeg) {
    this.#ffmpeg = ffmpeg;
  }

  /** Starts ffmpeg. Rejects with ApiError `unsupported` when it is not installed. */
  static async open(emit: (packet: Buffer) => void): Promise<OpusEncoder> {
    const ffmpeg = await Ffmpeg.start(ARGUMENTS);
    let rest = Buffer.alloc(0);
    ffmpeg.output.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (; rest.length >= PACKET_BYTES; rest = rest.subarray(PACKET_BYTES)) {
        emit(Buffer.from(rest.subarray(0, PACKET_BYTES)));
      }
    });
    return new OpusEncoder(ffmpeg);
  }

  /** Settles when ffmpeg ends; rejects on failure. */
  get ended(): Promise<void> {
    return this.#ffmpeg.ended;
  }

  write(chunk: Buffer): void {
    const { input } = this.#ffmpeg;
    if (input.writable && input.writableLength < MOST_WAITING) input.write(chunk);
  }

  /** Ends the input; ffmpeg writes the remaining packets and ends. */
  finish(): void {
    this.#ffmpeg.input.end();
  }

  /** Ends ffmpeg now; resolves when it has ended. */
  kill(): Promise<void> {
    return this.#ffmpeg.kill();
  }
}
