import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { speak } from '../../../src/engines/containers/dialect.js';
import { LABEL } from '../../../src/engines/containers/ids.js';
import { describeOwner } from '../../../src/engines/containers/network/guard-owner.js';
import { containerRemoval } from '../../../src/engines/containers/removal.js';
import { dockerDialect } from '../../../src/engines/docker/client.js';

type Container = { readonly Labels: Readonly<Record<string, string>>; readonly State?: string };

/** An Engine with these containers of services, and with guards of processes. */
function engine(containers: readonly Container[], guards: readonly string[] = []): Docker {
  const list = async ({ filters }: { filters: { label: string[] } }) =>
    filters.label[0] === LABEL.service
      ? containers
      : guards.map((owner) => ({ Labels: { [LABEL.firewall]: 'svc', [LABEL.process]: owner } }));
  const modem = { getSocketPath: async () => '/docker.sock' };
  return speak(
    { modem, listContainers: list, listImages: async () => [] } as unknown as Docker,
    dockerDialect,
  );
}

const usedBy = (docker: Docker) =>
  containerRemoval(() => docker).usedBy('', new AbortController().signal);
const computer = { Labels: { [LABEL.service]: 'svc' }, State: 'exited' };
const spare = { Labels: { [LABEL.service]: 'svc', [LABEL.spare]: 'x' }, State: 'paused' };

it('is in use while there are computers, stopped ones too, of any service', async () => {
  expect(await usedBy(engine([computer, computer, spare]))).toBe('2 computers');
  expect(await usedBy(engine([spare]))).toBeUndefined();
});

it('is in use while a service without computers runs, or may run', async () => {
  const running = await describeOwner(engine([]));
  expect(await usedBy(engine([], [running]))).toBe('a service');
  expect(await usedBy(engine([], ['']))).toBe('a service');
  const ended = JSON.stringify({ ...JSON.parse(running), startTime: 1 });
  expect(await usedBy(engine([], [ended]))).toBeUndefined();
});

it('leaves nothing without an image, with which rules are looked at', async () => {
  const { leftovers } = containerRemoval(() => engine([]));
  expect(await leftovers?.('', new AbortController().signal)).toEqual([]);
});
