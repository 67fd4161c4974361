import { createHash } from 'node:crypto';
import type { ComputerStatus } from '../../contract/resources.js';
import type { WallComputer } from '../../contract/sockets/wall.js';
import type { Owner } from '../accounts/api-keys.js';
import type { Computers } from '../computers/computers.js';
import type { ControlLeases } from '../control/leases.js';
import type { Events } from '../events/events.js';
import type { Pictures } from './pictures.js';
import type { ScreenUses } from './screen-uses.js';

/** Changes of this many milliseconds are one comparison. */
const EVERY_MS = 250;

interface Parts {
  readonly computers: Pick<Computers, 'records' | 'present'>;
  readonly events: Pick<Events, 'onChanged'>;
  readonly control: Pick<ControlLeases, 'onChange'>;
  readonly pictures: Pick<Pictures, 'watch' | 'seqOf'>;
  readonly screenUses: Pick<ScreenUses, 'onChange' | 'of'>;
}

/** The result of one comparison; the `url` of its computers is relative to the base address. */
export interface WallRound {
  /** All computers, the oldest first. */
  readonly computers: readonly WallComputer[];
  /** Those that are new or have changed since the last round. */
  readonly changed: readonly WallComputer[];
  readonly removed: readonly string[];
}

export interface WallPicture {
  readonly id: string;
  readonly status: ComputerStatus;
  readonly seq: number;
}

/** Gets the rounds and pictures of a list. */
export interface WallViewer {
  round(round: WallRound): void;
  picture(picture: WallPicture): void;
  /** The list cannot be read; nothing more comes. */
  failed(error: unknown): void;
}

/** A viewer's part of a list. */
export interface WallView {
  /** Requests a round soon, even if nothing has changed. */
  refresh(): void;
  /** Idempotent. */
  close(): void;
}

/**
 * The lists of computers that walls show, and their changes. All viewers of the same list share one
 * comparison.
 */
export class Walls {
  readonly #parts: Parts;
  readonly #lists = new Map<string, WallList>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Shows the viewer the computers that the key may see: a first round soon, then each change. */
  open(owner: Pick<Owner, 'id' | 'projectId'>, viewer: WallViewer): WallView {
    const key = JSON.stringify([owner.id, owner.projectId]);
    const list = this.#lists.get(key) ?? new WallList(this.#parts, owner);
    this.#lists.set(key, list);
    list.viewers.add(viewer);
    list.refresh();
    return {
      refresh: () => list.refresh(),
      close: () => {
        list.viewers.delete(viewer);
        if (list.viewers.size > 0) return;
        list.close();
        if (this.#lists.get(key) === list) this.#lists.delete(key);
      },
    };
  }
}

/** What the viewers know of a computer. */
interface Known {
  readonly hash: string;
  readonly status: ComputerStatus;
}

/** One list with its viewers. */
class WallList {
  readonly viewers = new Set<WallViewer>();
  readonly #parts: Parts;
  readonly #owner: Pick<Owner, 'id' | 'projectId'>;
  readonly #dispose: (() => void)[];
  #known = new Map<string, Known>();
  #running: readonly string[] = [];
  /** Of the next comparison, in milliseconds of the monotonic clock; undefined for none. */
  #dueAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** No comparison before this time of the monotonic clock. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts, owner: Pick<Owner, 'id' | 'projectId'>) {
    this.#parts = parts;
    this.#owner = owner;
    const { events, control, pictures, screenUses } = parts;
    this.#dispose = [
      events.onChanged(owner, () => this.#compareIn(EVERY_MS)),
      control.onChange(({ record }) => {
        if (record.owner_id === owner.id) this.#compareIn(EVERY_MS);
      }),
      screenUses.onChange((record) => {
        if (record.owner_id === owner.id) this.#compareIn(EVERY_MS);
      }),
      pictures.watch(
        () => this.#running,
        (id) => this.#tellPicture(id),
      ),
    ];
  }

  refresh(): void {
    this.#compareIn(0);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const dispose of this.#dispose) dispose();
  }

  #compareIn(ms: number): void {
    const now = performance.now();
    const at = Math.max(now + ms, this.#restsUntil);
    if (this.#dueAt !== undefined && this.#dueAt <= at) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#compareOrFail(), at - now);
  }

  #compareOrFail(): void {
    this.#dueAt = undefined;
    this.#restsUntil = performance.now() + EVERY_MS;
    try {
      this.#compare();
    } catch (error) {
      for (const viewer of [...this.viewers]) viewer.failed(error);
    }
  }

  #compare(): void {
    const { computers, pictures, screenUses } = this.#parts;
    const records = computers.records(this.#owner);
    const all = records.flatMap(({ id }) => {
      const computer = computers.present(id);
      return computer === undefined ? [] : { ...computer, ...screenUses.of(id) };
    });
    const before = this.#known;
    this.#known = new Map(all.map((one) => [one.id, { hash: hashOf(one), status: one.status }]));
    this.#running = all.flatMap(({ id, status }) => (status === 'running' ? [id] : []));
    const present = all.map((one) => ({ ...one, seq: pictures.seqOf(one.id) }));
    const round = {
      computers: present,
      changed: present.filter(({ id }) => before.get(id)?.hash !== this.#known.get(id)?.hash),
      removed: [...before.keys()].filter((id) => !this.#known.has(id)),
    };
    for (const viewer of [...this.viewers]) viewer.round(round);
  }

  #tellPicture(id: string): void {
    const { computers, pictures } = this.#parts;
    const status = this.#known.has(id) ? computers.present(id)?.status : undefined;
    if (status === undefined) return;
    for (const viewer of [...this.viewers]) {
      viewer.picture({ id, status, seq: pictures.seqOf(id) });
    }
  }
}

/** Short, since a list has a thousand computers. */
function hashOf(computer: Omit<WallComputer, 'seq'>): string {
  return createHash('sha256').update(JSON.stringify(computer)).digest('base64url');
}
