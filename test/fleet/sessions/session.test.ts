import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../../../src/fleet/sessions/session.js';
import { fakeConnectors } from '../../support/fake-connectors.js';
import { FakeEngine } from '../../support/fake-engine.js';

const record = { id: 'cmp_1', owner_id: 'own_1', private_key: '' };

it('keeps the position of the pointer after its screen was closed, and not the screen', async () => {
  const connectors = fakeConnectors();
  const session = new Session(new FakeEngine(), record, connectors);
  await session.screen.use(async () => undefined);
  session.screen.close();
  const [screen] = connectors.screens;
  Object.assign(screen ?? {}, { pointer: { x: 1, y: 1 } });
  expect(session.pointer).toEqual({ x: 640, y: 400 });
});

describe('a screen that nobody looks at', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function idle(isolation: 'container' | 'emulated', use: 'use' | 'watch') {
    const connectors = fakeConnectors();
    const engine = new FakeEngine();
    const describe = engine.describe.bind(engine);
    engine.describe = async () => ({ ...(await describe()), isolation });
    const session = new Session(engine, record, connectors);
    await session.screen[use](async () => undefined);
    return session.screen;
  }

  it('is closed within a minute, because its pixels take megabytes', async () => {
    const screen = await idle('container', 'use');
    vi.advanceTimersByTime(40_000);
    expect(screen.present).toBeDefined();
    vi.advanceTimersByTime(20_000);
    expect(screen.present).toBeUndefined();
  });

  it('stays open while a key is held', async () => {
    const screen = await idle('container', 'use');
    await screen.present?.keyDown('ctrl');
    vi.advanceTimersByTime(60_000);
    expect(screen.present).toBeDefined();
    await screen.present?.keyUp('ctrl');
    vi.advanceTimersByTime(60_000);
    expect(screen.present).toBeUndefined();
  });

  it.each([
    ['container', 'watch'],
    ['emulated', 'use'],
  ] as const)('stays open for five minutes if it costs more: %s, %s', async (isolation, use) => {
    const screen = await idle(isolation, use);
    vi.advanceTimersByTime(290_000);
    expect(screen.present).toBeDefined();
    vi.advanceTimersByTime(20_000);
    expect(screen.present).toBeUndefined();
  });
});

it('limits all connections to a computer together', async () => {
  const connectors = fakeConnectors();
  const [openScreen, openShell] = [vi.fn(connectors.openScreen), vi.fn(connectors.openShell)];
  const engine = new FakeEngine();
  const session = new Session(engine, record, { openScreen, openShell });
  for (let connection = 0; connection < 2; connection++) {
    await session.screen.use(async () => undefined);
    await session.shell.use(async () => undefined);
    session.close();
  }
  for (const { mock } of [openScreen, openShell]) {
    const [first, second] = mock.calls.map(([, options]) => options?.limit);
    expect(first).toBeDefined();
    expect(second).toBe(first);
  }
});

describe('of a machine of the warm pool', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const size = { width: 800, height: 600 };
  const DAY_MS = 86_400_000;

  async function held() {
    const connectors = fakeConnectors();
    const keepAlive = vi.fn();
    const openShell = vi.fn(async (...given: Parameters<typeof connectors.openShell>) =>
      Object.assign(await connectors.openShell(...given), { keepAlive }),
    );
    const session = new Session(new FakeEngine(), record, { ...connectors, openShell });
    await session.hold(size, new AbortController().signal);
    return { session, keepAlive };
  }

  it('keeps its connections open until a computer has it, and then as those of others', async () => {
    const { session, keepAlive } = await held();
    vi.advanceTimersByTime(DAY_MS);
    const screen = session.screen.present;
    expect([screen?.open, session.shell.present?.open]).toEqual([true, true]);
    // Paused, it gives no sign of life.
    expect(keepAlive).not.toHaveBeenCalled();
    session.started(size);
    expect(keepAlive).toHaveBeenCalledOnce();
    expect(session.screen.present).toBe(screen);
    expect(session.pointer).toEqual(screen?.pointer);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect([session.screen.present, session.shell.present]).toEqual([undefined, undefined]);
    await session.shell.use(async () => undefined);
    expect(keepAlive).toHaveBeenCalledTimes(2);
  });

  it('ends its connections when it is closed', async () => {
    const { session } = await held();
    session.close();
    expect([session.screen.present, session.shell.present]).toEqual([undefined, undefined]);
  });
});
