import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';

const SAME_NAME = 50;
/** How often a deletion and a start overlap. */
const OVERLAPS = inject('engine') === 'docker' ? 4 : 2;

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
  await service.vc.projects.create('crowd');
});
afterAll(() => service.close());
afterEach(async () => {
  const { computers } = (await http('GET', '/projects/crowd')).json;
  for (const { id } of computers) await http('DELETE', `/computers/${id}`);
});

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const create = (name: string, query = '') =>
  http('POST', `/projects/crowd/computers${query}`, { name });
const leftovers = () => outOfBand(service).leftovers();
const nothing = { machines: [], networks: [], directories: [] };
const status = async (id: string): Promise<string> => {
  const { status, json } = await http('GET', `/computers/${id}`);
  return status === 404 ? 'gone' : json.status;
};
const deleted = async (id: string, answer: Promise<{ status: number; json: Json }>) => {
  expect(await answer).toEqual({ status: 200, json: { success: true } });
  expect(await status(id)).toBe('gone');
  expect(await leftovers()).toEqual(nothing);
};

promise(16, 'one of fifty concurrent creations with the same name succeeds', async (report) => {
  const answers = await Promise.all(Array.from({ length: SAME_NAME }, () => create('same')));
  const created = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 400);
  expect([created.length, refused.length], JSON.stringify(answers[0])).toEqual([1, SAME_NAME - 1]);
  for (const { json } of refused) expect(json.error).toContain('named "same" already');
  const { computers } = (await http('GET', '/projects/crowd')).json;
  expect(computers.map(({ id }: Json) => id)).toEqual([created[0]?.json.id]);
  expect((await leftovers()).machines).toHaveLength(1);
  report(`one of ${SAME_NAME}`);
});

promise(16, 'a computer can be deleted at any point of its start', async (report) => {
  const seen: string[] = [];
  /** Points of a start; each function returns whether it is reached. */
  const points: Record<string, (id: string) => Promise<boolean>> = {
    'at once': async () => true,
    'with a directory or network': async () => {
      const { directories, networks } = await leftovers();
      return directories.length + networks.length > 0;
    },
    'with a machine': async () => (await leftovers()).machines.length > 0,
  };
  for (const [point, reached] of Object.entries(points)) {
    const { json } = await create(`starts ${point}`, '?wait=0');
    expect(json.status).toBe('starting');
    await eventually(() => reached(json.id), 60_000);
    seen.push(`${point} (${await status(json.id)})`);
    await deleted(json.id, http('DELETE', `/computers/${json.id}`));
  }
  // A creation that waits for the computer fails when it is deleted.
  const waiting = create('awaited');
  const awaited = async (): Promise<Json> =>
    (await http('GET', '/projects/crowd')).json.computers[0];
  const { id } = await eventually(awaited);
  await deleted(id, http('DELETE', `/computers/${id}`));
  const { status: answered, json } = await waiting;
  expect(answered, JSON.stringify(json)).toBe(400);
  expect(json.error).toContain('deleted meanwhile');
  report(`deleted ${seen.join(', ')}`);
});

promise.thorough(16, 'a start during a deletion does not prevent the deletion', async (report) => {
  const answers: number[] = [];
  // Repeats until a start came during a deletion: a deletion may end first.
  const enough = (i: number) => i >= OVERLAPS && (answers.includes(400) || i === 10);
  let i = 0;
  for (; !enough(i); i++) {
    const { json } = await create(`crosses-${i}`);
    const { id } = json;
    const deleting = http('DELETE', `/computers/${id}`);
    // Half of the starts are sent at once, half after the deletion has begun.
    if (i % 2 === 0) await eventually(async () => ['deleting', 'gone'].includes(await status(id)));
    const starts = await Promise.all(
      ['start', 'restart', 'start'].map((step) => http('POST', `/computers/${id}/${step}`)),
    );
    await deleted(id, deleting);
    answers.push(...starts.map(({ status }) => status));
  }
  expect(answers.filter((status) => ![200, 400, 404].includes(status))).toEqual([]);
  expect(answers).toContain(400);
  const counts = [...new Set(answers)].map(
    (status) => `${answers.filter((other) => other === status).length} × ${status}`,
  );
  report(`${i} deleted, starts answered ${counts.join(', ')}`);
});
