import { expect, it } from 'vitest';
import { ApiError } from '../../../../src/contract/errors.js';
import {
  DockerPool,
  type DockerPoolOptions,
} from '../../../../src/engines/docker/pool/docker-pool.js';

/** A pool whose service was killed; `list` answers for the Engine. */
function openPool(markers: readonly string[], list: (id: string) => Promise<object[]>) {
  const removed: string[] = [];
  const problems: string[] = [];
  const asked: string[] = [];
  const options = {
    size: 1,
    markers: { all: async () => [...markers] },
    containers: {
      list: (id: string) => {
        asked.push(id);
        return list(id);
      },
    },
    remove: async (id: string) => void removed.push(id),
    onProblem: (message: string) => void problems.push(message),
  } as unknown as DockerPoolOptions;
  return { pool: new DockerPool(options), removed, problems, asked };
}

const never = () => new AbortController().signal;

it('removes what has no container, and goes on after a failure', async () => {
  const { pool, removed, problems } = openPool(['cmp_1', 'cmp_2', 'cmp_3'], async (id) => {
    if (id === 'cmp_1') throw new Error('broken');
    return id === 'cmp_2' ? [{}] : [];
  });
  await pool.removeAbandoned(never());
  expect(removed).toEqual(['cmp_3']);
  expect(problems).toHaveLength(1);
});

it('does not ask an Engine that is away about every computer, nor one after the end', async () => {
  const away = openPool(['cmp_1', 'cmp_2', 'cmp_3'], async () => {
    throw new ApiError('engine_unavailable', 'it did not answer');
  });
  await expect(away.pool.removeAbandoned(never())).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
  expect(away.asked).toEqual(['cmp_1']);
  const stopping = new AbortController();
  const stopped = openPool(['cmp_1', 'cmp_2'], async () => {
    stopping.abort(new Error('the service stops'));
    throw stopping.signal.reason;
  });
  await expect(stopped.pool.removeAbandoned(stopping.signal)).rejects.toThrow('the service stops');
  expect(stopped.asked).toEqual(['cmp_1']);
});
