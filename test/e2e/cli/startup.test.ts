import { afterAll, beforeAll, expect, it } from 'vitest';
import { measureStartup } from '../../../bench/startup.js';
import { openTestService, type TestService } from '../../support/service/service.js';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

/** What a machine that is busy with other things may add to the ratios that bench/startup holds. */
const NOISE = 1.25;

it("starts in a small multiple of Node's own start-up time", () => {
  const { starts } = measureStartup({ runs: 11, env: service.env });
  const rows = starts.map(({ name, ratio, most }) => ({ name, ratio: ratio.cpu, most }));
  console.log(rows.map(({ name, ratio, most }) => `${name}: ${ratio.toFixed(2)} of ${most}`));
  expect(rows.filter(({ ratio, most }) => !(ratio <= most * NOISE))).toEqual([]);
});
