import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { speak } from '../../../../src/engines/containers/dialect.js';
import { whilePaused } from '../../../../src/engines/containers/saved/pausing.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';

it.each([
  'OCI runtime pause failed: unable to freeze: unknown',
  '`/usr/sbin/runc pause 330fd281` failed: exit status 1',
])('a pause that fails because processes are started is repeated: %s', async (message) => {
  const calls: string[] = [];
  const container = {
    pause: async () => {
      calls.push('pause');
      if (calls.length < 3) throw new Error(message);
    },
    unpause: async () => void calls.push('resume'),
  };
  const docker = speak({ getContainer: () => container } as unknown as Docker, dockerDialect);
  const State = { Running: true, Paused: false } as Docker.ContainerInspectInfo['State'];
  const work = async () => void calls.push('work');
  await whilePaused(docker, { Id: 'm', State }, work, new AbortController().signal);
  expect(calls).toEqual(['pause', 'pause', 'pause', 'work', 'resume']);
});
