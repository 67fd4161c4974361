import { expect, it } from 'vitest';
import { SharedConnection } from '../../../src/fleet/sessions/shared-connection.js';
import { SpareConnections } from '../../../src/fleet/sessions/spare-connections.js';

const MOST = 2;
const nothing = async () => undefined;

/** Connections that share their spares. */
function open(count: number) {
  const spares = new SpareConnections(MOST);
  const found: { open: boolean; close(): void }[] = [];
  const shared = Array.from({ length: count }, (_, index) => {
    const connect = async () => {
      const connection = {
        open: true,
        close: () => {
          connection.open = false;
        },
      };
      found[index] = connection;
      return connection;
    };
    return new SharedConnection(connect, 60_000, spares);
  });
  return { shared, opened: () => found.map((connection) => connection.open) };
}

it('of many connections that were only prepared, the last ones stay open', async () => {
  const { shared, opened } = open(4);
  for (const each of shared) await each.prepare(nothing);
  expect(opened()).toEqual([false, false, true, true]);
});

it('a connection that was used stays open', async () => {
  const { shared, opened } = open(4);
  await shared[0]?.use(nothing);
  await shared[1]?.prepare(nothing);
  await shared[1]?.use(nothing);
  for (const each of shared.slice(2)) await each.prepare(nothing);
  // Preparing it again changes nothing.
  await shared[0]?.prepare(nothing);
  expect(opened()).toEqual([true, true, true, true]);
});

it('a connection in use is never closed', async () => {
  const { shared, opened } = open(4);
  await shared[0]?.prepare(nothing);
  let end: () => void = () => undefined;
  const using = shared[0]?.use(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  for (const each of shared.slice(1)) await each.prepare(nothing);
  expect(opened()).toEqual([true, false, true, true]);
  end();
  await using;
});

it('a connection that was closed counts no longer, and may be prepared again', async () => {
  const { shared, opened } = open(3);
  await shared[0]?.prepare(nothing);
  await shared[1]?.prepare(nothing);
  shared[1]?.close();
  await shared[2]?.prepare(nothing);
  expect(opened()).toEqual([true, false, true]);
  await shared[1]?.prepare(nothing);
  expect(opened()).toEqual([false, true, true]);
});
