// @module-tag slow
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { thorough } from '../../support/run/tiers.js';
import { untilRunning } from '../../support/service/desktop.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { openTestService, type TestService } from '../../support/service/service.js';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
beforeEach(async () => void (await service.vc.projects.create('life')));
afterEach(async () => void (await http('DELETE', '/projects/life')));
afterAll(() => service.close());

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const create = async (name: string) =>
  (await http('POST', '/projects/life/computers', { name })).json;
const status = async (id: string) => (await http('GET', `/computers/${id}`)).json.status;

/** Performs the step, and waits until the computer runs. */
async function runsAfter(step: 'start' | 'restart', id: string): Promise<void> {
  const { json } = await http('POST', `/computers/${id}/${step}`);
  expect(['starting', 'running']).toContain(json.status);
  await untilRunning(service, id, 200_000);
}
/** The service's machines, networks and directories, as the engine and the host show them. */
const leftovers = () => outOfBand(service).leftovers();
const running = async () => (await leftovers()).machines;
const bash = async (id: string, command: string): Promise<string> =>
  (await http('POST', `/computers/${id}/bash`, { command })).json.stdout.trim();
const PROMPT = `bash -ic 'printf "%s" "\${PS1@P}"' 2>/dev/null`;
const nothing = { machines: [], networks: [], directories: [] };

describe('the service killed with SIGKILL', () => {
  promise(
    11,
    'finds a running computer again, under the same id, with its programs running',
    async () => {
      const computer = await create('survivor');
      await http('POST', `/computers/${computer.id}/bash`, {
        command: 'sleep 1234',
        background: true,
      });
      await service.kill('SIGKILL');
      await service.start();
      const shot = await http('GET', `/computers/${computer.id}/screenshot`);
      expect(shot.json).toMatchObject({ success: true, width: 1280, height: 800 });
      const { json } = await http('POST', `/computers/${computer.id}/bash`, {
        command: 'pgrep -cf "^sleep 1234"',
      });
      expect(json.stdout).toBe('1\n');
    },
  );

  promise.thorough(
    11,
    'during a creation leaves the computer whole or gone',
    async () => {
      for (const delay of [20, 80, 200, 400, 700]) {
        const name = `half-${delay}`;
        const creating = http('POST', '/projects/life/computers', { name }).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, delay));
        await service.kill('SIGKILL');
        await creating;
        await service.start();
        await eventually(async () => {
          const { json } = await http('GET', '/projects/life');
          const [computer] = json.computers;
          if (!computer) return true;
          return computer.status === 'running';
        }, 90_000);
        const { json } = await http('GET', '/projects/life');
        for (const { id } of json.computers) {
          expect((await http('GET', `/computers/${id}/screenshot`)).status).toBe(200);
          expect((await http('DELETE', `/computers/${id}`)).status).toBe(200);
        }
        await eventually(async () => {
          const left = await leftovers();
          return Object.values(left).every((list) => list.length === 0);
        });
      }
    },
    300_000,
  );

  promise.thorough(11, 'during a deletion leaves nothing', async () => {
    const { id } = await create('doomed');
    const deleting = http('DELETE', `/computers/${id}`).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await service.kill('SIGKILL');
    await deleting;
    await service.start();
    await eventually(async () => {
      const left = await leftovers();
      return Object.values(left).every((list) => list.length === 0);
    }, 60_000);
    await eventually(async () => (await http('GET', `/computers/${id}`)).status === 404);
  });
});

describe('lifecycle', () => {
  thorough('delays actions on a starting computer, and names the guest after it', async () => {
    const { json } = await http('POST', '/projects/life/computers?wait=0', { name: 'Büro Nr. 7' });
    expect(json.status).toBe('starting');
    const { id } = json;
    const shot = await http('GET', `/computers/${id}/screenshot`);
    expect(shot.json.success).toBe(true);
    expect(await bash(id, 'hostname')).toBe('buro-nr-7');
    expect(await bash(id, PROMPT)).toContain('user@buro-nr-7');
    expect(await bash(id, 'getent hosts buro-nr-7')).toContain('buro-nr-7');

    // It takes a new name when it starts again, and keeps its new memory and screen, or has them then.
    const isContainer = json.isolation === 'container';
    const changes = { name: 'web', ram: 4, resolution: '1024x768' };
    const { json: changed } = await http('PATCH', `/computers/${id}`, changes);
    expect(changed.pending).toEqual(isContainer ? undefined : ['ram']);
    expect(await bash(id, 'hostname')).toBe('buro-nr-7');
    await runsAfter('restart', id);
    expect((await http('GET', `/computers/${id}`)).json).not.toHaveProperty('pending');
    expect(await bash(id, 'xdotool getdisplaygeometry')).toBe('1024 768');
    const limit = 'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes';
    const total = "awk '/^MemTotal/ { print ($2 > 3 * 2 ^ 20) }' /proc/meminfo";
    const memory = await bash(id, isContainer ? `${limit} 2>/dev/null; true` : total);
    expect(memory).toBe(isContainer ? `${4 * 2 ** 30}` : '1');
    expect(await bash(id, 'hostname')).toBe('web');
    expect(await bash(id, PROMPT)).toContain('user@web');
    expect(await bash(id, 'getent hosts web')).toContain('web');
  });

  thorough('keeps the disk and ends the processes when it stops and starts', async () => {
    const { id } = await create('disk');
    await bash(id, 'echo kept > ~/file; (sleep 4321 >/dev/null 2>&1 &)');
    expect((await http('POST', `/computers/${id}/stop`)).json.status).toBe('stopped');
    expect((await http('POST', `/computers/${id}/stop`)).json.status).toBe('stopped');
    const refused = await http('GET', `/computers/${id}/screenshot`);
    expect(refused.status).toBe(400);
    expect(refused.json.error).toContain('is stopped');
    expect(refused.remedy).toContain('start');
    await runsAfter('start', id);
    expect(await bash(id, 'cat ~/file; pgrep -f "^sleep 4321"')).toBe('kept');
    await runsAfter('restart', id);
    expect(await bash(id, 'cat ~/file')).toBe('kept');
    expect((await http('GET', `/computers/${id}/screenshot`)).status).toBe(200);
  });

  thorough(
    'refuses a third running computer, and deletes a project with its computers',
    async () => {
      await Promise.all([create('one'), create('two')]);
      const third = await http('POST', '/projects/life/computers', { name: 'three' });
      expect(third.status).toBe(400);
      expect(third.json.error).toContain('limit of running computers (2)');
      expect(await running()).toHaveLength(2);
      expect((await http('DELETE', '/projects/life')).json).toEqual({ success: true });
      expect(await leftovers()).toEqual(nothing);
      expect((await http('GET', '/projects/life')).status).toBe(404);
    },
  );

  promise.thorough(16, 'runs exactly two of twenty computers created at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        http('POST', '/projects/life/computers', { name: `c${i}` }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      ...Array(2).fill(200),
      ...Array(18).fill(400),
    ]);
    expect(await running()).toHaveLength(2);
  });

  promise(15, 'follows a machine that was killed or removed outside the service', async () => {
    const [killed, removed] = await Promise.all([create('killed'), create('removed')]);
    await outOfBand(service).kill(killed.id);
    await outOfBand(service).remove(removed.id);
    await eventually(async () => ['stopped', 'error'].includes(await status(killed.id)));
    await eventually(async () => (await status(removed.id)) === 'error');
    const { status_reason: why } = (await http('GET', `/computers/${killed.id}`)).json;
    expect(why).toMatch(/killed|outside of this service/);
    await runsAfter('start', killed.id);
    expect((await http('DELETE', `/computers/${removed.id}`)).json).toEqual({ success: true });
    expect((await http('DELETE', `/computers/${killed.id}`)).json).toEqual({ success: true });
    expect(await leftovers()).toEqual(nothing);
  });
});
