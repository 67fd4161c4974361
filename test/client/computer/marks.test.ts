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

const C = '/projects/shop/computers/desk';

it('takes a picture with marks and clicks on one of them', async () => {
  const told = { format: 'png', width: 1280, height: 800, frame: 'frm_0123456789ab', marks: [] };
  const answer = { success: true, image: '/wAB', encoding: 'base64', ...told, truncated: false };
  service.on(`GET ${C}/screenshot`, answer);
  service.on(`POST ${C}/click`, { success: true });
  const desk = vc.computer({ project: 'shop', name: 'desk' });
  expect(await desk.markedScreenshot({ scale: 0.5 })).toEqual({
    ...{ image: new Uint8Array([255, 0, 1]), ...told },
    truncated: false,
  });
  await desk.clickMark(7, { frame: 'frm_0123456789ab', button: 'right' });
  await desk.clickMark(8);
  expect(service.received.map(({ method, url, body }) => [`${method} ${url}`, body])).toEqual([
    [`GET /api${C}/screenshot?scale=0.5&marks=1`, undefined],
    [`POST /api${C}/click`, { mark: 7, frame: 'frm_0123456789ab', button: 'right' }],
    [`POST /api${C}/click`, { mark: 8 }],
  ]);
});
