import type { Size } from '../screen/types.js';

export interface VideoOptions {
  /** Frames per second. */
  readonly fps: number;
  /** Kilobits per second. */
  readonly bitrate: number;
}

/** Larger screens are scaled down. */
const LARGEST: Size = { width: 1920, height: 1080 };
const SAMPLE_RATE = 44_100;
/** More threads mean more slices, which cost quality and save no time at these sizes. */
const THREADS = 4;

/** The largest even size with the same aspect ratio, up to 1920x1080. */
export function outputSize({ width, height }: Size): Size {
  const factor = Math.min(1, LARGEST.width / width, LARGEST.height / height);
  const even = (length: number) => Math.max(2, 2 * Math.round((length * factor) / 2));
  return { width: even(width), height: even(height) };
}

/**
 * Arguments for ffmpeg to encode frames of `size` on stdin (planes Y, U, V, without gaps) as
 * H.264 on stdout: FLV with a silent AAC track for RTMP, or fragmented MP4, which is playable
 * when cut off after any fragment. ffmpeg may open only its own pipes, and never learns the target.
 */
export function encoderArguments(
  size: Size,
  { fps, bitrate }: VideoOptions,
  container: 'flv' | 'mp4',
): string[] {
  const output = outputSize(size);
  const isScaled = output.width !== size.width || output.height !== size.height;
  const rate = `${bitrate}k`;
  const color = ['-color_range', 'tv', '-colorspace', 'bt709'];
  const options: string[][] = [
    ['-hide_banner', '-nostats', '-loglevel', 'error', '-protocol_whitelist', 'pipe'],
    ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${size.width}x${size.height}`],
    ['-framerate', String(fps), '-probesize', '32', '-analyzeduration', '0', ...color],
    ['-i', 'pipe:0'],
    container === 'flv' ? silence() : [],
    isScaled ? ['-vf', `scale=${output.width}:${output.height}:flags=area`] : [],
    ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p'],
    ['-threads', String(THREADS), '-g', String(2 * fps)],
    ['-b:v', rate, '-maxrate', rate, '-bufsize', rate],
    [...color, '-color_primaries', 'bt709', '-color_trc', 'bt709'],
    container === 'flv' ? flv() : mp4(),
    ['-flush_packets', '1', 'pipe:1'],
  ];
  return options.flat();
}

/** Many ingest servers reject streams without sound. */
function silence(): string[] {
  return ['-f', 'lavfi', '-i', `anullsrc=r=${SAMPLE_RATE}:cl=stereo`, '-shortest'];
}

function flv(): string[] {
  return ['-c:a', 'aac', '-b:a', '64k', '-f', 'flv', '-flvflags', 'no_duration_filesize'];
}

function mp4(): string[] {
  const flags = '+frag_keyframe+empty_moov+default_base_moof';
  return ['-an', '-f', 'mp4', '-movflags', flags, '-frag_duration', '500000'];
}
