import type { Size } from '../screen/types.js';

/** Bytes of frames per second that are written for all videos: up to a quarter of the main thread's time. */
const ALL = 1 << 30;
/** Of one owner's videos. */
const PER_OWNER = 0.75 * ALL;

export interface InputRate {
  /** Frames that are written to the encoder per second; it repeats them for the video's rate. */
  readonly fps: number;
  release(): void;
}

/** Divides the bytes that are written to encoders, from the start of a video to its end. */
export class InputRates {
  readonly #owners = new Map<string, number>();

  /** The rate for a video of `fps`: all of it if there is room, else a half, a quarter or an eighth. */
  reserve(owner: string, { width, height }: Size, fps: number): InputRate {
    const bytes = (width * height * 3) / 2;
    const used = this.#owners.get(owner) ?? 0;
    const all = [...this.#owners.values()].reduce((sum, one) => sum + Math.min(one, PER_OWNER), 0);
    const room = Math.min(ALL - all, PER_OWNER - used);
    const rates = [fps, Math.ceil(fps / 2), Math.ceil(fps / 4)];
    const rate = rates.find((one) => one * bytes <= room) ?? Math.ceil(fps / 8);
    this.#count(owner, rate * bytes);
    let isHeld = true;
    return {
      fps: rate,
      release: () => {
        if (isHeld) this.#count(owner, -rate * bytes);
        isHeld = false;
      },
    };
  }

  #count(owner: string, bytes: number): void {
    const used = (this.#owners.get(owner) ?? 0) + bytes;
    if (used > 0) this.#owners.set(owner, used);
    else this.#owners.delete(owner);
  }
}

/** Of this process. */
export const inputRates = new InputRates();
