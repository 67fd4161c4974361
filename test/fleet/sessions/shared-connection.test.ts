import { expect, it } from 'vitest';
import { SharedConnection } from '../../../src/fleet/sessions/shared-connection.js';

const connection = () => {
  const made = {
    open: true,
    close: () => {
      made.open = false;
    },
  };
  return made;
};

it('keeps opening a connection for the other users when one of them times out', async () => {
  let open: (made: ReturnType<typeof connection>) => void = () => undefined;
  let attempts = 0;
  const link = new SharedConnection(() => {
    attempts += 1;
    return new Promise<ReturnType<typeof connection>>((resolve) => {
      open = resolve;
    });
  }, 60_000);
  const impatient = link.use(async () => 'impatient', AbortSignal.abort(new Error('enough')));
  const patient = link.use(async ({ open: isOpen }) => isOpen);
  await expect(impatient).rejects.toThrow('enough');
  link.drop();
  open(connection());
  expect(await patient).toBe(true);
  expect(attempts).toBe(1);
});

it('opens a new connection after one that was dropped', async () => {
  const made: ReturnType<typeof connection>[] = [];
  const link = new SharedConnection(
    async () => made[made.push(connection()) - 1] ?? connection(),
    60_000,
  );
  await link.use(async () => undefined);
  link.drop();
  expect(made.map(({ open }) => open)).toEqual([false]);
  await link.use(async () => undefined);
  expect(made.map(({ open }) => open)).toEqual([false, true]);
});

it('closing aborts a connection attempt', async () => {
  let isOver: AbortSignal | undefined;
  const link = new SharedConnection((signal) => {
    isOver = signal;
    return new Promise<ReturnType<typeof connection>>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }, 60_000);
  const waiting = link.use(async () => undefined);
  link.close();
  await expect(waiting).rejects.toMatchObject({ code: 'guest_failed' });
  expect(isOver?.aborted).toBe(true);
});
