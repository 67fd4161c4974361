import fc from 'fast-check';

export const NAMES = ['one', 'two', 'three'] as const;
/** Computers that may run at once. */
export const LIMIT = 2;

type Name = (typeof NAMES)[number];

/** Something that a user does, or that happens outside the service. */
export type ModelStep = { readonly name: Name; readonly away?: boolean } & (
  | { readonly does: 'create' | 'start' | 'stop' | 'restart' | 'remove' | 'service restart' }
  | { readonly does: 'fork'; readonly to: Name }
  | { readonly does: 'protect'; readonly on: boolean }
  | { readonly does: 'out-of-band'; readonly what: 'ends' | 'runs' | 'vanishes' }
);

const name = fc.constantFrom(...NAMES);
/** Rarely: while the engine is unavailable. */
const away = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);

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
  { weight: 2, arbitrary: fc.record({ does: fc.constant('fork' as const), name, to: name, away }) },
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
}

/** The expected state of a project with its computers. */
export class Model {
  readonly #computers = new Map<Name, Computer>();

  /** Applies the step to the model and returns the expected answer: `done` or an error's code. */
  answerTo(step: ModelStep): string {
    if (step.does === 'service restart') return 'done';
    if (step.does === 'create') return this.#create(step.name, 'running', step.away);
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
        if (computer.machine === 'lost') return 'conflict';
        return this.#create(step.to, computer.machine, step.away);
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

  #create(at: Name, machine: 'running' | 'stopped', isAway: boolean | undefined): string {
    if (this.#computers.has(at)) return 'name_taken';
    if (machine === 'running' && this.#full()) return 'limit_reached';
    // A failed creation leaves nothing behind.
    if (isAway) return 'engine_unavailable';
    this.#computers.set(at, { machine, isProtected: false });
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
