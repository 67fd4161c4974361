import { expect, it } from 'vitest';
import { QemuMachine } from '../../../../src/engines/qemu/machine/qemu-machine.js';
import type { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import type { QmpEvent } from '../../../../src/engines/qemu/monitor/client.js';

it('configures a guest that reboots without end once at a time', async () => {
  let running = 0;
  let [most, runs] = [0, 0];
  const machine = new QemuMachine('one', '/nowhere', {
    onChange: () => undefined,
    onHangUp: () => undefined,
    onReset: async () => {
      running += 1;
      runs += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    },
  });
  let say: (event: QmpEvent) => void = () => undefined;
  machine.attach({
    onEvent: (listener: (event: QmpEvent) => void) => {
      say = listener;
    },
    exited: new Promise(() => undefined),
  } as unknown as QemuProcess);
  for (let each = 0; each < 1_000; each++) say({ event: 'RESET', data: { guest: true } });
  await expect.poll(() => running).toBe(0);
  expect(most).toBe(1);
  expect(runs).toBe(2);
});
