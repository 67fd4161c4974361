// @module-tag slow
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { LIMIT, Model, type ModelStep, NAMES, steps } from '../../support/lifecycle-model.js';
import { promise } from '../../support/run/promise.js';
import { inTier } from '../../support/run/tiers.js';

/** In memory, because each write is flushed: these tests do not measure the disk. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** Long enough for dozens of sequences; a slow machine runs fewer, and reports the number. */
const MAX_MS = 25_000;

/** An engine whose calls end when the scheduler decides. */
class ScheduledEngine extends FakeSnapshottingEngine {
  scheduler: fc.Scheduler | undefined;

  protected override async step(
    ...call: Parameters<FakeSnapshottingEngine['step']>
  ): Promise<void> {
    await this.scheduler?.schedule(Promise.resolve(), call.join(' '));
    await super.step(...call);
  }
}

/** A fleet with a project, and the steps through the service or outside it. */
class World {
  readonly engine: ScheduledEngine;
  #test: TestFleet;
  #owner: Owner;

  private constructor(test: TestFleet, engine: ScheduledEngine) {
    this.#test = test;
    this.engine = engine;
    this.#owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
    test.fleet.projects.create(this.#owner, 'demo');
  }

  static async open(): Promise<World> {
    const engine = new ScheduledEngine();
    const directory = mkdtempSync(join(MEMORY, 'vc-fleet-'));
    return new World(await openTestFleet({ engine, directory, maxRunning: LIMIT }), engine);
  }

  /** The result of the step: `done`, or the error's code. */
  async does(step: ModelStep): Promise<string> {
    try {
      await this.#do(step);
      return 'done';
    } catch (error) {
      return error instanceof ApiError ? error.code : String(error);
    }
  }

  async #do(step: ModelStep): Promise<unknown> {
    const { computers, projects } = this.#test.fleet;
    const find = () => computers.find(this.#owner, { project: 'demo', name: step.name });
    switch (step.does) {
      case 'create': {
        const input = CreateComputer.parse({ name: step.name });
        return computers.create(this.#owner, projects.find(this.#owner, 'demo'), input, 'ready');
      }
      case 'fork':
        return computers.fork(
          this.#owner,
          find(),
          { names: [step.to], snapshot: step.from },
          'ready',
        );
      case 'write':
        return this.#write(find().id, step.text);
      case 'snapshot':
        return this.#test.fleet.snapshots.create(find(), { name: step.as, memory: true });
      case 'reset':
        return computers.reset(find(), step.from);
      case 'remove':
        return computers.remove(find());
      case 'protect':
        return computers.update(find(), { protected: step.on });
      case 'start':
      case 'stop':
      case 'restart':
        return computers[step.does](find());
      case 'out-of-band':
        return this.#changeMachine(find().id, step.what);
      case 'service restart':
        return this.reopen();
    }
  }

  #changeMachine(id: string, what: 'ends' | 'runs' | 'vanishes'): void {
    const machine = this.engine.machines.get(id);
    if (what === 'vanishes' || machine === undefined) {
      this.engine.machines.delete(id);
      this.engine.contents.delete(id);
    } else machine.status = what === 'ends' ? 'stopped' : 'running';
  }

  #write(id: string, text: string): void {
    if (this.engine.contents.has(id)) this.engine.contents.set(id, text);
  }

  /** What is on each computer's disk, and its snapshots. */
  contents(): Record<string, unknown> {
    return Object.fromEntries(
      this.computers().map(({ id, name }) => [
        name,
        [
          this.engine.contents.get(id),
          ...this.#test.fleet.snapshots.list({ id }).map((each) => each.name),
        ],
      ]),
    );
  }

  /** Deletes everything; returns the disks that the engine still has. */
  async deleteAll(): Promise<string[]> {
    const { computers } = this.#test.fleet;
    for (const { id } of this.computers()) {
      const record = computers.find(this.#owner, { id });
      computers.update(record, { protected: false });
      await computers.remove(record);
    }
    return [...this.engine.disks.keys()];
  }

  /** Emits an engine event for each machine. */
  reportAll(): void {
    for (const { id } of this.computers()) {
      const status = this.engine.machines.get(id)?.status ?? 'gone';
      this.engine.emit({ id, status });
    }
  }

  away(error: ApiError | undefined): void {
    const calls = ['create', 'start', 'stop', 'remove', 'save', 'reset', 'removeSaved'] as const;
    for (const call of calls) {
      if (error) this.engine.failures.set(call, error);
      else this.engine.failures.delete(call);
    }
  }

  async reopen(): Promise<void> {
    this.#test = await this.#test.restart();
  }

  computers() {
    return this.#test.fleet.computers.list(this.#test.fleet.projects.find(this.#owner, 'demo'));
  }

  /** The status of each computer and of its machine. */
  seen(): Record<string, string> {
    const ours = this.computers();
    const owned = new Set(ours.map(({ id }) => id));
    const orphans = [...this.engine.machines.keys()].filter((id) => !owned.has(id));
    return Object.fromEntries([
      ...ours.map(({ id, name, status }) => {
        return [name, `${status}, machine ${this.engine.machines.get(id)?.status ?? 'none'}`];
      }),
      ...orphans.map((id) => [id, 'a machine that no computer owns']),
    ]);
  }

  close(): Promise<void> {
    return this.#test.close();
  }
}

const AWAY = new ApiError('engine_unavailable', 'It does not answer.');

describe('promise 17', () => {
  promise(
    17,
    'service, model and engine agree after each step of a sequence',
    async (report) => {
      let stepsDone = 0;
      let sequences = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (sequence) => {
          const world = await World.open();
          const model = new Model();
          try {
            for (const step of sequence) {
              world.away(step.away ? AWAY : undefined);
              const answer = await world.does(step);
              expect(answer, JSON.stringify(step)).toBe(model.answerTo(step));
              world.away(undefined);
              // Work that an unavailable engine refused is done at the next start at the latest.
              if (step.away) await world.reopen();
              await vi.waitFor(
                () => {
                  world.reportAll();
                  expect(world.seen(), JSON.stringify(step)).toEqual(model.expected());
                  expect(world.contents(), JSON.stringify(step)).toEqual(model.contents());
                },
                { timeout: 5_000, interval: 2 },
              );
              stepsDone += 1;
            }
            expect(await world.deleteAll()).toEqual([]);
            sequences += 1;
          } finally {
            await world.close();
          }
        }),
        {
          numRuns: inTier({ thorough: 40, quick: 20 }),
          endOnFailure: true,
          interruptAfterTimeLimit: MAX_MS,
        },
      );
      report(`${stepsDone} steps in ${sequences} sequences, all three agree`);
    },
    120_000,
  );

  promise(
    17,
    'service and engine agree after concurrent steps and a restart at any point',
    async (report) => {
      let sequences = 0;
      const crossing = fc.array(
        steps.filter(({ does }) => does !== 'out-of-band' && does !== 'protect'),
        { minLength: 3, maxLength: 12 },
      );
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), crossing, async (scheduler, sequence) => {
          const world = await World.open();
          try {
            for (const name of NAMES.slice(0, LIMIT)) await world.does({ does: 'create', name });
            world.engine.scheduler = scheduler;
            const results = sequence
              .filter(({ does }) => does !== 'service restart')
              .map((step) => world.does(step));
            const done = Promise.all(results);
            // The service ends while steps are still running.
            if (results.length < sequence.length) {
              await new Promise(setImmediate);
              if (scheduler.count() > 0) await scheduler.waitNext(1);
            } else await scheduler.waitFor(done);
            world.engine.scheduler = undefined;
            const rest = scheduler.waitIdle();
            await world.reopen();
            await Promise.all([done, rest]);
            await vi.waitFor(
              () => {
                // Calls of the ended service may complete late.
                world.reportAll();
                const seen = Object.values(world.seen());
                const atRest = /^(running, machine running|stopped, machine stopped)$/;
                expect(seen.filter((text) => !atRest.test(text))).toEqual([]);
                const running = seen.filter((text) => text.startsWith('running'));
                expect(running.length).toBeLessThanOrEqual(LIMIT);
              },
              { timeout: 5_000, interval: 5 },
            );
            // A disk that the ended service saved late is found by the next pass over all of them.
            await world.reopen();
            await vi.waitFor(async () => expect(await world.deleteAll()).toEqual([]));
            sequences += 1;
          } finally {
            world.engine.scheduler = undefined;
            await world.close();
          }
        }),
        {
          numRuns: inTier({ thorough: 60, quick: 30 }),
          endOnFailure: true,
          interruptAfterTimeLimit: MAX_MS,
        },
      );
      report(`${sequences} concurrent sequences settled`);
    },
    120_000,
  );
});
