// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { promise } from '../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop, untilRunning } from '../../support/service/desktop.js';
import { outOfBand } from '../../support/service/out-of-band.js';

let desktop: OwnDesktop;
let neighbour: string;
beforeAll(async () => {
  desktop = await openOwnDesktop();
  const { json } = await desktop.service.http('POST', '/projects/e2e/computers', { name: 'other' });
  neighbour = json.id;
  await untilRunning(desktop.service, neighbour);
});
afterAll(() => desktop.close());

const post = (id: string, action: string, body: object) =>
  desktop.service.http('POST', `/computers/${id}/${action}`, body);
const click = (id: string) => post(id, 'click', { x: 640, y: 400 });
const shot = (id: string) => desktop.service.http('GET', `/computers/${id}/screenshot`);
const command = (id: string) => post(id, 'bash', { command: 'echo here', timeout: 1 });

/** A click, a screenshot and a command. */
async function use(id: string): Promise<void> {
  for (const answer of [await click(id), await shot(id), await command(id)]) {
    expect(answer, JSON.stringify(answer.json).slice(0, 300)).toMatchObject({ status: 200 });
  }
}

promise(
  19,
  'actions on a frozen computer fail at their deadline, and delay no other computer',
  async (report) => {
    const { service, id } = desktop;
    await use(id);
    let thaw = await outOfBand(service).freeze(id);
    const startedAt = performance.now();
    const seconds = () => Math.round((performance.now() - startedAt) / 1000);
    try {
      let waiting = true;
      const failing = Promise.all(
        [click(id), shot(id), command(id)].map(async (work) => ({
          ...(await work),
          after: seconds(),
        })),
      ).finally(() => {
        waiting = false;
      });
      let used = 0;
      for (; waiting || used === 0; used += 1) {
        await use(neighbour);
        await sleep(100);
      }
      const failed = await failing;
      for (const { status, json } of failed) {
        expect({ status, json }).toMatchObject({ status: 500 });
        expect(json.error).toMatch(/did not|lost|ended|seems frozen/);
      }
      // The failed actions have left the queue, so the next ones do not wait.
      thaw();
      await use(id);

      thaw = await outOfBand(service).freeze(id);
      const pending = click(id).then(
        () => 'answered',
        () => 'cut off',
      );
      await use(neighbour);
      const stoppedAt = performance.now();
      await service.kill('SIGTERM');
      await service.start();
      await use(neighbour);
      const restart = ((performance.now() - stoppedAt) / 1000).toFixed(1);
      // An answer would mean that the service waited for the computer at shutdown.
      expect(await pending).toBe('cut off');
      const ends = failed.map(({ after }) => after).join(', ');
      report(`errors after ${ends} s; neighbour used ${used} times; restart in ${restart} s`);

      expect((await desktop.service.http('DELETE', `/computers/${id}`)).status).toBe(200);
    } finally {
      thaw();
    }
  },
  300_000,
);
