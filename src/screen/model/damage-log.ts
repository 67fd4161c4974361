import type { Region } from '../geometry.js';
import type { ScreenChanges } from '../types.js';
import { join } from './damage.js';

/** Most changes that one step stands for; what a screen changed before its oldest step is not known. */
const MOST_CHANGES = 512;

/** The regions of some changes that followed each other. */
interface Step {
  readonly changes: number;
  readonly regions: readonly Region[];
}

/**
 * The changes of a screen, joined once for all who show it, however many there are. Recent ones are
 * separate; older steps stand for 2, 4, 8 … changes. So a view that missed some changes gets their
 * regions and perhaps those of as many more.
 */
export class DamageLog implements ScreenChanges {
  /** The oldest first; at most two for the same number of changes. */
  readonly #steps: Step[] = [];
  /** The regions of the last step, of the last two, and so on, as far as they were asked for. */
  #joined: (readonly Region[])[] = [];
  #version = 0;

  get version(): number {
    return this.#version;
  }

  /** Adds a change of a few regions. */
  push(regions: readonly Region[]): void {
    this.#version += 1;
    this.#joined = [];
    const steps = this.#steps;
    steps.push({ changes: 1, regions });
    for (let at = steps.length - 3; at >= 0; at -= 2) {
      const [first, second, third] = steps.slice(at);
      if (first === undefined || second === undefined || first.changes !== third?.changes) break;
      const changes = first.changes + second.changes;
      steps.splice(at, 2, { changes, regions: join(first.regions, second.regions) });
    }
    if ((steps[0]?.changes ?? 0) > MOST_CHANGES) steps.shift();
  }

  since(version: number): readonly Region[] | undefined {
    let from = this.#version;
    if (version >= from) return [];
    for (const [nth, step] of this.#steps.toReversed().entries()) {
      const regions = this.#joined[nth] ?? join(this.#joined[nth - 1] ?? [], step.regions);
      this.#joined[nth] = regions;
      from -= step.changes;
      if (from <= version) return regions;
    }
    return undefined;
  }

  /** Forgets all changes: the screen has another size. */
  clear(): void {
    this.#version += 1;
    this.#joined = [];
    this.#steps.length = 0;
  }
}
