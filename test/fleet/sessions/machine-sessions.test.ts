import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { MachineSessions } from '../../../src/fleet/sessions/machine-sessions.js';
import { fakeConnectors } from '../../support/fake-connectors.js';
import { FakeEngine } from '../../support/fake-engine.js';
import { openTestFleet } from '../../support/fleet.js';

const machine = { id: 'cmp_1', privateKey: 'key', resolution: { width: 800, height: 600 } };
const record = { id: 'cmp_1', private_key: 'key' };
const engine = new FakeEngine();

let sessions: MachineSessions;
let connectors: ReturnType<typeof fakeConnectors>;
beforeEach(async () => {
  const { store, close } = await openTestFleet();
  onTestFinished(close);
  connectors = fakeConnectors();
  sessions = new MachineSessions(store, connectors);
});

/** Prepares the machine without the time for its desktop. */
async function prepare(): Promise<void> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const prepared = sessions.prepare(engine, machine, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(5_000);
  await prepared;
}

it('gives a computer the connections of the machine that was prepared for it, once', async () => {
  await prepare();
  const session = sessions.of(engine, record);
  expect(session.screen.present).toBe(connectors.screens[0]);
  expect(session.shell.present?.open).toBe(true);
  expect(sessions.of(engine, record).screen.present).toBeUndefined();
});

it('closes the connections of a machine that is removed', async () => {
  await prepare();
  sessions.discard(machine.id);
  expect(connectors.screens[0]?.open).toBe(false);
  expect(sessions.of(engine, record).screen.present).toBeUndefined();
});
