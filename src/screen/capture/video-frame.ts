import type { Size } from '../geometry.js';
import type { UpdateScheduler } from '../model/update-scheduler.js';
import type { Connection } from '../rfb/connection.js';
import type { VideoFrame } from '../types.js';
import { type ImageSources, VideoImage } from './video-image.js';

interface Sources extends ImageSources {
  readonly updates: UpdateScheduler;
}

/** The frames of a screen's streams and recordings, which share one image. */
export class VideoFrames {
  readonly #sources: Sources;
  readonly #open = new Set<VideoFrame>();
  #image: VideoImage | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Throws when the connection has ended. */
  open(intervalMs: number): VideoFrame {
    const { connection, updates } = this.#sources;
    connection.requireOpen();
    this.#image ??= new VideoImage(this.#sources);
    const image = this.#image;
    // No pixels are requested for an image that cannot change yet.
    const stopWatching = updates.watch(intervalMs, () => image.waitMs);
    const frame: VideoFrame = new RfbVideoFrame(connection, image, () => {
      stopWatching();
      this.#close(frame);
    });
    this.#open.add(frame);
    return frame;
  }

  #close(frame: VideoFrame): void {
    this.#open.delete(frame);
    if (this.#open.size > 0) return;
    this.#image?.close();
    this.#image = undefined;
  }
}

class RfbVideoFrame implements VideoFrame {
  readonly #connection: Connection;
  readonly #image: VideoImage;
  readonly stop: () => void;

  constructor(connection: Connection, image: VideoImage, stop: () => void) {
    this.#connection = connection;
    this.#image = image;
    this.stop = stop;
  }

  get size(): Size {
    return this.#image.size;
  }

  get version(): number {
    return this.#image.version;
  }

  get open(): boolean {
    return this.#connection.isOpen;
  }

  read(target: Buffer): void {
    this.#image.read(target);
  }
}
