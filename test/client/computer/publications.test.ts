import { afterEach, beforeEach, expect, it } from 'vitest';
import { VirtualComputers } from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';

let service: FakeService;
let vc: VirtualComputers;
beforeEach(async () => {
  service = await startFakeService();
  vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key' });
});
afterEach(async () => {
  await vc.close();
  await service.close();
});

it('publishes ports, lists them and ends them', async () => {
  const C = '/projects/shop/computers/desk/publications';
  const publication = { port: 8000, url: 'http://8000-desk-0.localhost:4700/' };
  service.on(`POST ${C}`, publication);
  service.on('GET /publications', { publications: [publication] });
  service.on(`DELETE ${C}/8000`, { success: true });
  const desk = vc.computer({ project: 'shop', name: 'desk' });
  expect(await desk.publish(8000)).toEqual(publication);
  await desk.publish(8000, { public: true, expires_in: 60, timeoutMs: 5000 });
  expect(await vc.publications.list()).toEqual([publication]);
  await desk.unpublish(8000);
  expect(service.received.map(({ method, url, body }) => [`${method} ${url}`, body])).toEqual([
    [`POST /api${C}`, { port: 8000 }],
    [`POST /api${C}`, { port: 8000, public: true, expires_in: 60 }],
    ['GET /api/publications', undefined],
    [`DELETE /api${C}/8000`, undefined],
  ]);
});
