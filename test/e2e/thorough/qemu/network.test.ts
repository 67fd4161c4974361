import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeNetwork } from '../../../../src/engines/qemu/network/probe.js';
import { measureSpeeds } from '../../../support/network/measure.js';
import { PUBLIC, withPublicServers } from '../../../support/network/public-servers.js';
import { describeUnless } from '../../../support/run/needs.js';
import { untilRunning } from '../../../support/service/desktop.js';
import { eventsOf } from '../../../support/service/events.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

const probe = await probeNetwork();
const noNetwork = probe.usable ? undefined : `${probe.reason} (${probe.remedy})`;
const notRoot = process.getuid?.() === 0 ? undefined : 'needs root';
const NETWORK = { allow: [`${PUBLIC}:9`, `${PUBLIC}:19`], rate: '1mbit' };

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
  await service.vc.projects.create('e2e');
});
afterAll(() => service?.close());

describeUnless(noNetwork ?? notRoot)('a computer with a list and a rate', () => {
  it('has both from the start, and keeps them', async () => {
    const created = await service.http('POST', '/projects/e2e/computers?wait=0', {
      name: 'slow',
      network: NETWORK,
    });
    expect(created.status, created.json.error).toBe(200);
    const { id } = created.json;
    const python = async (of: string, code: string) => {
      const { json } = await service.http('POST', `/computers/${of}/exec`, { code, timeout: 90 });
      return json.output as string;
    };
    const check = async (when: string, of = id) => {
      await untilRunning(service, of);
      const speeds = (await python(of, measureSpeeds(PUBLIC))).trim().split('\n').map(Number);
      console.log(`Mbit/s received and sent ${when}: ${speeds.map((each) => each / 1e6)}`);
      expect(speeds).toHaveLength(2);
      for (const speed of speeds) {
        expect(speed, when).toBeGreaterThan(0.7e6);
        expect(speed, when).toBeLessThan(1.3e6);
      }
      const other = `import socket; socket.create_connection(('${PUBLIC}', 8080), 5)`;
      expect(await python(of, other), when).toMatch(/refused|unreachable|timed out|reset/i);
    };
    await withPublicServers(async () => {
      await check('from the start');
      for (const [name, pass] of eventsOf(service)) {
        await pass(id);
        await check(`after ${name}`);
      }
      const copy = await service.http('POST', `/computers/${id}/fork?wait=0`, { name: 'copy' });
      expect(copy.json).toMatchObject({ network: NETWORK });
      await check('in a copy', copy.json.id);
      for (const each of [copy.json.id, id]) await service.http('DELETE', `/computers/${each}`);
    });
  }, 1_800_000);
});
