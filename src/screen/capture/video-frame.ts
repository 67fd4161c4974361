import type { Size } from '../geometry.js';
import type { Pointer } from '../input/pointer.js';
import type { UpdateScheduler } from '../model/update-scheduler.js';
import type { Connection } from '../rfb/connection.js';
import type { ScreenChanges, VideoFrame } from '../types.js';
import { VideoImage } from './video-image.js';

interface Sources {
  readonly connection: Connection;
  readonly pointer: Pointer;
  readonly updates: UpdateScheduler;
  readonly changes: ScreenChanges;
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
    const { connection, pointer, updates, changes } = this.#sources;
    connection.requireOpen();
    this.#image ??= new VideoImage(connection, pointer, changes);
    const stopWatching = updates.watch(intervalMs);
    const frame: VideoFrame = new RfbVideoFrame(connection, this.#image, () => {
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
