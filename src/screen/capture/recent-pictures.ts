import type { Picture } from '../types.js';

/** Most pictures kept, and bytes of all of them if there are several. */
const MAX_PICTURES = 4;
const MAX_BYTES = 1 << 20;

/** What a picture shows; compared item by item. */
type State = readonly unknown[];

interface Kept {
  readonly state: State;
  readonly picture: Promise<Picture>;
  bytes: number;
}

/**
 * The last pictures of a screen, one for each kind: a client that reads PNGs and a page that shows
 * thumbnails do not displace each other's.
 */
export class RecentPictures {
  /** The one used last comes last. */
  readonly #kept = new Map<string, Kept>();

  /**
   * The picture of this kind if it was made of the same state, else the result of `make`, which is
   * kept unless it rejects.
   */
  get(kind: string, state: State, make: () => Promise<Picture>): Promise<Picture> {
    const found = this.#kept.get(kind);
    const isCurrent = found?.state.every((part, at) => part === state[at]) ?? false;
    const kept = isCurrent && found ? found : { state, picture: make(), bytes: 0 };
    this.#kept.delete(kind);
    this.#kept.set(kind, kept);
    if (!isCurrent) {
      kept.picture.then(
        ({ data }) => {
          kept.bytes = data.length;
          this.#dropOldest();
        },
        () => {
          if (this.#kept.get(kind) === kept) this.#kept.delete(kind);
        },
      );
    }
    return kept.picture;
  }

  clear(): void {
    this.#kept.clear();
  }

  #dropOldest(): void {
    let bytes = [...this.#kept.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [kind, kept] of this.#kept) {
      const isOver = this.#kept.size > MAX_PICTURES || bytes > MAX_BYTES;
      if (!isOver || this.#kept.size === 1) return;
      this.#kept.delete(kind);
      bytes -= kept.bytes;
    }
  }
}
