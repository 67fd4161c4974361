import { expect, it, vi } from 'vitest';
import { SharedConnection } from '../../../src/fleet/sessions/shared-connection.js';

const openConnection = () => {
  const connection = {
    open: true,
    close: () => {
      connection.open = false;
    },
  };
  return connection;
};

it('keeps opening a connection for the other users when one of them times out', async () => {
  let open: (connection: ReturnType<typeof openConnection>) => void = () => undefined;
  let attempts = 0;
  const shared = new SharedConnection(() => {
    attempts += 1;
    return new Promise<ReturnType<typeof openConnection>>((resolve) => {
      open = resolve;
    });
  }, 60_000);
  const impatient = shared.use(async () => 'impatient', AbortSignal.abort(new Error('enough')));
  const patient = shared.use(async ({ open: isOpen }) => isOpen);
  await expect(impatient).rejects.toThrow('enough');
  shared.drop();
  open(openConnection());
  expect(await patient).toBe(true);
  expect(attempts).toBe(1);
});

it('opens a new connection after one that was dropped', async () => {
  const connections: ReturnType<typeof openConnection>[] = [];
  const shared = new SharedConnection(
    async () => connections[connections.push(openConnection()) - 1] ?? openConnection(),
    60_000,
  );
  await shared.use(async () => undefined);
  shared.drop();
  expect(connections.map(({ open }) => open)).toEqual([false]);
  await shared.use(async () => undefined);
  expect(connections.map(({ open }) => open)).toEqual([false, true]);
});

it('of connections that were dropped while programs hold them, the last ones stay up', async () => {
  const destroyed: number[] = [];
  let opened = 0;
  const shared = new SharedConnection(async () => {
    const number = opened++;
    const destroy = () => void destroyed.push(number);
    return { ...openConnection(), holding: number !== 1, destroy };
  }, 60_000);
  for (let time = 0; time < 5; time++) {
    await shared.use(async () => undefined);
    shared.drop();
  }
  // Nothing holds the second.
  expect(destroyed).toEqual([0, 2]);
});

it('closing aborts a connection attempt', async () => {
  let isOver: AbortSignal | undefined;
  const shared = new SharedConnection((signal) => {
    isOver = signal;
    return new Promise<ReturnType<typeof openConnection>>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }, 60_000);
  const waiting = shared.use(async () => undefined);
  shared.close();
  await expect(waiting).rejects.toMatchObject({ code: 'guest_failed' });
  expect(isOver?.aborted).toBe(true);
});

it.each([
  ['a text of the clipboard', 'holdsText'],
  ['the output of programs that were left running', 'holding'],
] as const)('keeps an idle connection open while it holds %s', async (_, what) => {
  vi.useFakeTimers();
  try {
    const held = { holdsText: what === 'holdsText', holding: what === 'holding' };
    const connection = { ...openConnection(), ...held };
    connection.close = () => {
      connection.open = false;
    };
    const shared = new SharedConnection(async () => connection, 60_000);
    await shared.use(async () => undefined);
    vi.advanceTimersByTime(600_000);
    expect(connection.open).toBe(true);
    connection[what] = false;
    vi.advanceTimersByTime(60_000);
    expect(connection.open).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

it('is not in use while it is only watched, and stays open', async () => {
  const connection = openConnection();
  const shared = new SharedConnection(async () => connection, 1);
  let end = () => {};
  const watching = shared.watch(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  await shared.use(async () => expect(shared.inUse).toBe(true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([shared.inUse, connection.open]).toEqual([false, true]);
  end();
  await watching;
});
