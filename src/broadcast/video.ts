import type { Size } from '../screen/types.js';
import { PIPES_ONLY } from './ffmpeg.js';
import { SAMPLE_RATE, SOUND_DELAY_MS } from './sound.js';

export interface VideoOptions {
  /** Frames per second. */
  readonly fps: number;
  /** Kilobits per second. */
  readonly bitrate: number;
}

/** Larger screens are scaled down. */
const LARGEST: Size = { width: 1920, height: 1080 };
/** Does not wait for more of an input to find out what it is. */
const AT_ONCE = ['-probesize', '32', '-analyzeduration', '0'];
/** More threads mean more slices, which cost quality and save no time at these sizes. */
const THREADS = 4;

/** The largest even size with the same aspect ratio, up to 1920x1080. */
export function outputSize({ width, height }: Size): Size {
  const factor = Math.min(1, LARGEST.width / width, LARGEST.height / height);
  const even = (length: number) => Math.max(2, 2 * Math.round((length * factor) / 2));
  return { width: even(width), height: even(height) };
}

interface EncodedAs extends VideoOptions {
  readonly container: 'flv' | 'mp4';
  /** Many ingest servers reject streams without a track for sound. */
  readonly track: 'none' | 'silence' | 'sound';
}

/**
 * Arguments for ffmpeg to encode frames of `size` on stdin (planes Y, U, V, without gaps) as
 * H.264 on stdout, with AAC sound from `pipe:3`: FLV for RTMP, or fragmented MP4, which is playable
 * when cut off after any fragment. ffmpeg may open only its own pipes, and never learns the target.
 */
export function encoderArguments(
  size: Size,
  { fps, bitrate, container, track }: EncodedAs,
): string[] {
  const output = outputSize(size);
  const isScaled = output.width !== size.width || output.height !== size.height;
  const rate = `${bitrate}k`;
  const color = ['-color_range', 'tv', '-colorspace', 'bt709'];
  const options: string[][] = [
    [...PIPES_ONLY],
    track === 'sound' ? delayed(fps) : [],
    ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${size.width}x${size.height}`],
    ['-framerate', String(fps), ...AT_ONCE, ...color],
    ['-i', 'pipe:0'],
    TRACKS[track],
    isScaled ? ['-vf', `scale=${output.width}:${output.height}:flags=area`] : [],
    ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p'],
    ['-threads', String(THREADS), '-g', String(2 * fps)],
    ['-b:v', rate, '-maxrate', rate, '-bufsize', rate],
    [...color, '-color_primaries', 'bt709', '-color_trc', 'bt709'],
    track === 'none' ? ['-an'] : ['-c:a', 'aac', '-b:a', track === 'silence' ? '64k' : '128k'],
    CONTAINERS[container],
    ['-flush_packets', '1', 'pipe:1'],
  ];
  return options.flat();
}

/**
 * The sound is buffered for a moment, so the pictures wait for it. They have to fit into ffmpeg's
 * queue: it comes with the pictures after them, and neither would be read further.
 */
function delayed(fps: number): string[] {
  const queue = Math.ceil(fps / 2) + 8;
  return ['-itsoffset', String(SOUND_DELAY_MS / 1000), '-thread_queue_size', String(queue)];
}

/** The second input. */
const TRACKS = {
  none: [],
  silence: ['-f', 'lavfi', '-i', 'anullsrc=r=44100:cl=stereo', '-shortest'],
  sound: [
    ...AT_ONCE,
    ...['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '2', '-i', 'pipe:3', '-shortest'],
  ],
};

const MP4_FLAGS = '+frag_keyframe+empty_moov+default_base_moof';
const CONTAINERS = {
  flv: ['-f', 'flv', '-flvflags', 'no_duration_filesize'],
  mp4: ['-f', 'mp4', '-movflags', MP4_FLAGS, '-frag_duration', '500000'],
};
