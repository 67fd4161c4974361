import { expect, test } from 'vitest';
import { HeldInput } from '../../../src/fleet/actions/held-input.js';
import { Queue } from '../../../src/lib/async/queue.js';
import { FakeScreen } from '../../support/fake-connectors.js';

const tick = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

test('releases what was left pressed some time after the last action', async () => {
  const [held, screen, queue] = [new HeldInput(40), new FakeScreen(), new Queue()];
  await screen.press({ button: 'left' });
  held.acted(screen, { queue, keyId: 'key_a', computerId: 'cmp_1' });
  await tick(25);
  held.acted(screen, { queue, keyId: 'key_b', computerId: 'cmp_1' });
  await tick(25);
  expect(screen.inputs).toEqual(['press left']);
  await tick(30);
  expect(screen.inputs).toEqual(['press left', 'release all']);
});

test('releases what a removed key left pressed, after the actions that wait', async () => {
  const [held, screen, queue] = [new HeldInput(), new FakeScreen(), new Queue()];
  await screen.keyDown('ctrl');
  held.acted(screen, { queue, keyId: 'key_a', computerId: 'cmp_1' });
  const earlier = queue.run(async () => {
    await tick();
    screen.inputs.push('earlier');
  });
  held.keyRemoved('key_b');
  held.keyRemoved('key_a');
  await earlier;
  await tick();
  expect(screen.inputs).toEqual(['down ctrl', 'earlier', 'release all']);
});

test('leaves a screen alone that was closed, or where nothing is pressed', async () => {
  const [held, queue] = [new HeldInput(10), new Queue()];
  const [closed, idle] = [new FakeScreen(), new FakeScreen()];
  await closed.press({ button: 'left' });
  held.acted(closed, { queue, keyId: 'key_a', computerId: 'cmp_1' });
  closed.close();
  await idle.press({ button: 'left' });
  held.acted(idle, { queue, keyId: 'key_a', computerId: 'cmp_1' });
  await idle.release({ button: 'left' });
  held.acted(idle, { queue, keyId: 'key_a', computerId: 'cmp_1' });
  held.keyRemoved('key_a');
  await tick(20);
  expect([closed.inputs, idle.inputs]).toEqual([['press left'], ['press left', 'release left']]);
});

test('listens once for the end of a screen, however often something is pressed', async () => {
  const [held, screen, queue] = [new HeldInput(), new FakeScreen(), new Queue()];
  for (let i = 0; i < 20; i++) {
    await screen.press({ button: 'left' });
    held.acted(screen, { queue, keyId: 'key_a', computerId: 'cmp_1' });
    await screen.release({ button: 'left' });
    held.acted(screen, { queue, keyId: 'key_a', computerId: 'cmp_1' });
  }
  expect(screen.listenerCount('close')).toBe(1);
});
