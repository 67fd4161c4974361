import { createHash } from 'node:crypto';
import type { Computer, ComputerStatus } from '../../contract/resources.js';
import type { WallComputer } from '../../contract/sockets/wall.js';
import { nextTurn } from '../../lib/async/next-turn.js';
import type { Owner } from '../accounts/api-keys.js';
import type { Computers } from '../computers/computers.js';
import type { ControlLeases } from '../control/leases.js';
import type { Events } from '../events/events.js';
import type { Pictures } from './pictures.js';

/** Changes of this many milliseconds are one comparison. */
const EVERY_MS = 250;
/** A list rests for so many times the time that its last comparison took. */
const REST = 10;

interface Parts {
  readonly computers: Pick<Computers, 'records' | 'present'>;
  readonly events: Pick<Events, 'onChanged'>;
  readonly control: Pick<ControlLeases, 'onChange'>;
  readonly pictures: Pick<Pictures, 'watch' | 'seqOf'>;
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
 * comparison, and one list is compared in a turn of the event loop.
 */
export class Walls {
  readonly #parts: Parts;
  readonly #lists = new Map<string, WallList>();
  /** Until when lists rest that have been closed: a client may open them again and again. */
  readonly #rests = new Map<string, number>();
  #turns: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Shows the viewer the computers that the key may see: a first round soon, then each change. */
  open(owner: Pick<Owner, 'id' | 'projectId'>, viewer: WallViewer): WallView {
    const key = JSON.stringify([owner.id, owner.projectId]);
    const list = this.#lists.get(key) ?? this.#newList(key, owner);
    this.#lists.set(key, list);
    list.viewers.add(viewer);
    list.refresh();
    return {
      refresh: () => list.refresh(),
      close: () => {
        list.viewers.delete(viewer);
        if (list.viewers.size > 0) return;
        list.close();
        if (this.#lists.get(key) !== list) return;
        this.#lists.delete(key);
        this.#keepRest(key, list.restsUntil);
      },
    };
  }

  #newList(key: string, owner: Pick<Owner, 'id' | 'projectId'>): WallList {
    const inTurn = (work: () => void) => this.#inTurn(work);
    return new WallList(this.#parts, owner, inTurn, this.#rests.get(key));
  }

  #keepRest(key: string, until: number): void {
    const ms = until - performance.now();
    if (ms <= 0) return;
    this.#rests.set(key, until);
    setTimeout(() => {
      if (this.#rests.get(key) === until) this.#rests.delete(key);
    }, ms).unref();
  }

  #inTurn(work: () => void): void {
    this.#turns = this.#turns.then(() => nextTurn()).then(work);
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
  /** Runs work that does not throw. */
  readonly #inTurn: (work: () => void) => void;
  readonly #dispose: (() => void)[];
  #known = new Map<string, Known>();
  #running: readonly string[] = [];
  /** Of the next comparison, in milliseconds of the monotonic clock; undefined for none. */
  #dueAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #restsUntil: number;

  constructor(
    parts: Parts,
    owner: Pick<Owner, 'id' | 'projectId'>,
    inTurn: (work: () => void) => void,
    restsUntil = Number.NEGATIVE_INFINITY,
  ) {
    this.#parts = parts;
    this.#owner = owner;
    this.#inTurn = inTurn;
    this.#restsUntil = restsUntil;
    const { events, control, pictures } = parts;
    this.#dispose = [
      events.onChanged(owner, () => this.#compareIn(EVERY_MS)),
      control.onChange(({ record }) => {
        if (record.owner_id === owner.id) this.#compareIn(EVERY_MS);
      }),
      pictures.watch(
        owner.id,
        () => this.#running,
        (id) => this.#tellPicture(id),
      ),
    ];
  }

  /** No comparison before this time of the monotonic clock. */
  get restsUntil(): number {
    return this.#restsUntil;
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
    this.#timer = setTimeout(() => this.#inTurn(() => this.#compareOrFail()), at - now);
  }

  #compareOrFail(): void {
    if (this.viewers.size === 0) return;
    this.#dueAt = undefined;
    const began = performance.now();
    try {
      this.#compare();
    } catch (error) {
      for (const viewer of [...this.viewers]) viewer.failed(error);
    }
    const now = performance.now();
    this.#restsUntil = Math.max(began + EVERY_MS, now + REST * (now - began));
  }

  #compare(): void {
    const { computers } = this.#parts;
    const records = computers.records(this.#owner);
    const all = records.flatMap(({ id }) => computers.present(id) ?? []);
    const before = this.#known;
    this.#known = new Map(all.map((one) => [one.id, { hash: hashOf(one), status: one.status }]));
    this.#running = all.flatMap(({ id, status }) => (status === 'running' ? [id] : []));
    const present = all.map((one) => ({ ...one, seq: this.#parts.pictures.seqOf(one.id) }));
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
function hashOf(computer: Computer): string {
  return createHash('sha256').update(JSON.stringify(computer)).digest('base64url');
}
