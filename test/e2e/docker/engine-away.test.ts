// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { openSilentProxy, type SilentProxy } from '../../support/docker/silent-proxy.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { inTier } from '../../support/run/tiers.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';

/** In this time the service has listed its machines several times. */
const OUTAGE_MS = inTier({ thorough: 5_000, quick: 1_500 });

const target = inject('dockerHost').replace('unix://', '');
const docker = new Docker({ socketPath: target });
let directory: string;
let proxy: SilentProxy;
let service: TestService;
/** Each attempt has names of its own. */
let attempts = 0;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vc-proxy-'));
  proxy = await openSilentProxy(join(directory, 'docker.sock'), target);
  service = await openTestService(['--max-running', '9'], {
    dockerHost: `unix://${join(directory, 'docker.sock')}`,
  });
  await service.vc.projects.create('away');
});
afterAll(async () => {
  await proxy.comeBack();
  await service.close();
  await proxy.close();
  rmSync(directory, { recursive: true });
});

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const create = (name: string) => http('POST', '/projects/away/computers', { name });
const status = async (id: string) => (await http('GET', `/computers/${id}`)).json.status;
const container = async (id: string) => (await docker.getContainer(`vc-${id}`).inspect()).Id;
const usable = async () => (await http('GET', '/health')).json.engines[0].usable;
/** Seconds until the probe is true. */
const seconds = async (probe: () => Promise<boolean>): Promise<number> => {
  const startedAt = Date.now();
  await eventually(probe, 90_000);
  return (Date.now() - startedAt) / 1000;
};

const ways = inTier({
  thorough: ['falls silent', 'goes away'] as const,
  quick: ['falls silent'] as const,
});
for (const how of ways) {
  promise(
    12,
    `the Engine ${how}: 503, nothing is deleted or recreated, and work continues when it is back`,
    async (report) => {
      attempts += 1;
      const [ids, name] = [new Map<string, string>(), `${how.replace(' ', '-')}-${attempts}`];
      for (const which of ['stays', 'dies']) {
        const { status, json } = await create(`${name}-${which}`);
        expect(status, JSON.stringify(json)).toBe(200);
        ids.set(which, json.id);
      }
      const [stays = '', dies = ''] = ids.values();
      const before = await container(stays);

      if (how === 'falls silent') proxy.silence();
      else await proxy.leave();
      const detectedAfter = await seconds(async () => !(await usable()));
      const refused = await create(`${name}-refused`);
      expect(refused.status, JSON.stringify(refused.json)).toBe(503);
      // Requests that do not need the Engine are answered with the last known state, also while the
      // service reconnects.
      for (const end = Date.now() + OUTAGE_MS; Date.now() < end; await sleep(100)) {
        expect(await status(stays)).toBe('running');
      }
      await outOfBand(service).kill(dies);

      await proxy.comeBack();
      const shownAfter = await seconds(async () => (await status(dies)) !== 'running');
      expect(['stopped', 'error']).toContain(await status(dies));
      expect(await status(stays)).toBe('running');
      expect(await container(stays)).toBe(before);
      const { json }: { json: Json } = await http('POST', `/computers/${stays}/bash`, {
        command: 'echo here',
      });
      expect(json.stdout).toBe('here\n');
      const { computers } = (await http('GET', '/projects/away')).json;
      const names: string[] = computers.map(({ name }: Json) => name);
      expect(names).not.toContain(`${name}-refused`);
      expect((await http('POST', `/computers/${dies}/start`)).json.status).toBe('running');
      for (const id of ids.values())
        expect((await http('DELETE', `/computers/${id}`)).status).toBe(200);
      report(
        `noticed after ${detectedAfter.toFixed(1)} s, the right status ${shownAfter.toFixed(1)} s after it is back`,
      );
    },
    240_000,
  );
}
