import fc from 'fast-check';

export const NAMES = ['one', 'two', 'three'] as const;
/** Computers that may run at once. */
export const LIMIT = 2;

type Name = (typeof NAMES)[number];
const SNAPSHOTS = ['clean', 'later'] as const;
type SnapshotName = (typeof SNAPSHOTS)[number];
/** What is on the disk of a new computer. */
export const CREATED = 'as created';

/** Something that a user does, or that happens outside the service. */
export type ModelStep = { readonly name: Name; readonly away?: boolean } & (
  | { readonly does: 'create' | 'start' | 'stop' | 'restart' | 'remove' | 'service restart' }
  | { readonly does: 'fork'; readonly to: Name; readonly from?: SnapshotName | undefined }
  | { readonly does: 'write'; readonly text: string }
  | { readonly does: 'snapshot'; readonly as: SnapshotName }
  | { readonly does: 'reset'; readonly from?: SnapshotName | undefined }
  | { readonly does: 'protect'; readonly on: boolean }
  | { readonly does: 'out-of-band'; readonly what: 'ends' | 'runs' | 'vanishes' }
);

const name = fc.constantFrom(...NAMES);
/** Rarely: while the engine is unavailable. */
const away = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);

const from = fc.constantFrom(undefined, ...SNAPSHOTS);

export const steps: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('create' as const), name, away }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'start' as const,
        'stop' as const,
        'restart' as const,
        'remove' as const,
      ),
      name,
      away,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('fork' as const), name, to: name, from, away }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('write' as const),
      name,
      text: fc.string({ minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('snapshot' as const),
      name,
      as: fc.constantFrom(...SNAPSHOTS),
      away,
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('reset' as const), name, from, away }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('protect' as const), name, on: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('out-of-band' as const),
      name,
      what: fc.constantFrom('ends' as const, 'runs' as const, 'vanishes' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('service restart' as const), name }) },
);

interface Computer {
  /** The state of its machine; `lost`: removed outside the service. */
  machine: 'running' | 'stopped' | 'lost';
  isProtected: boolean;
  /** What is on its disk, and was when it was made. */
  content: string;
  readonly origin: string;
  readonly snapshots: Map<SnapshotName, string>;
}

/** The expected state of a project with its computers. */
export class Model {
  readonly #computers = new Map<Name, Computer>();

  /** Applies the step to the model and returns the expected answer: `done` or an error's code. */
  answerTo(step: ModelStep): string {
    if (step.does === 'service restart') return 'done';
    if (step.does === 'create') return this.#create(step.name, 'running', step.away, CREATED);
    const computer = this.#computers.get(step.name);
    if (computer === undefined) return 'not_found';
    switch (step.does) {
      case 'protect':
        computer.isProtected = step.on;
        return 'done';
      case 'out-of-band':
        if (computer.machine === 'lost') return 'done';
        computer.machine = { ends: 'stopped', runs: 'running', vanishes: 'lost' }[step.what] as
          | 'stopped'
          | 'running'
          | 'lost';
        return 'done';
      case 'fork':
        if (step.from !== undefined) {
          const content = computer.snapshots.get(step.from);
          if (content === undefined) return 'not_found';
          return this.#create(step.to, 'running', step.away, content);
        }
        if (computer.machine === 'lost') return 'conflict';
        return this.#create(step.to, computer.machine, step.away, computer.content);
      case 'write':
        if (computer.machine !== 'lost') computer.content = step.text;
        return 'done';
      case 'snapshot':
        if (computer.machine === 'lost') return 'conflict';
        if (computer.snapshots.has(step.as)) return 'name_taken';
        if (step.away) return 'engine_unavailable';
        computer.snapshots.set(step.as, computer.content);
        return 'done';
      case 'reset':
        return this.#reset(computer, step.from, step.away);
      case 'remove':
        if (computer.isProtected) return 'conflict';
        this.#computers.delete(step.name);
        return step.away ? 'engine_unavailable' : 'done';
      case 'stop':
        return this.#stop(computer, step.away);
      case 'start':
      case 'restart':
        return this.#run(computer, step);
    }
  }

  /** The expected status of each computer and its machine. */
  expected(): Record<string, string> {
    const texts = {
      running: 'running, machine running',
      stopped: 'stopped, machine stopped',
      lost: 'error, machine none',
    };
    return Object.fromEntries(
      [...this.#computers].map(([at, { machine }]) => [at, texts[machine]]),
    );
  }

  /** What is on each computer's disk, and its snapshots. */
  contents(): Record<string, readonly [string | undefined, ...SnapshotName[]]> {
    return Object.fromEntries(
      [...this.#computers].map(([at, { machine, content, snapshots }]) => [
        at,
        [machine === 'lost' ? undefined : content, ...snapshots.keys()],
      ]),
    );
  }

  #reset(computer: Computer, from: SnapshotName | undefined, isAway: boolean | undefined): string {
    const content = from === undefined ? computer.origin : computer.snapshots.get(from);
    if (content === undefined) return 'not_found';
    if (computer.machine === 'lost') {
      if (this.#full()) return 'limit_reached';
      computer.machine = 'running';
    }
    // Completed when the engine is back.
    computer.content = content;
    return isAway ? 'engine_unavailable' : 'done';
  }

  #create(
    at: Name,
    machine: 'running' | 'stopped',
    isAway: boolean | undefined,
    content: string,
  ): string {
    if (this.#computers.has(at)) return 'name_taken';
    if (machine === 'running' && this.#full()) return 'limit_reached';
    // A failed creation leaves nothing behind.
    if (isAway) return 'engine_unavailable';
    const made = { machine, content, origin: content, snapshots: new Map() };
    this.#computers.set(at, { ...made, isProtected: false });
    return 'done';
  }

  #stop(computer: Computer, isAway: boolean | undefined): string {
    if (computer.machine === 'stopped') return 'done';
    if (computer.machine === 'running') computer.machine = 'stopped';
    return isAway ? 'engine_unavailable' : 'done';
  }

  #run(computer: Computer, { does, away: isAway }: ModelStep): string {
    if (computer.machine === 'running' && does === 'start') return 'done';
    if (computer.machine !== 'running' && this.#full()) return 'limit_reached';
    if (isAway) {
      // The step is resumed later; a lost machine stays lost.
      if (computer.machine === 'stopped') computer.machine = 'running';
      return 'engine_unavailable';
    }
    if (computer.machine === 'lost') return 'not_found';
    computer.machine = 'running';
    return 'done';
  }

  #full(): boolean {
    return [...this.#computers.values()].filter(isRunning).length >= LIMIT;
  }
}

function isRunning({ machine }: Computer): boolean {
  return machine === 'running';
}
