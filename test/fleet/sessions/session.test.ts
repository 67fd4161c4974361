import { expect, it } from 'vitest';
import { Session } from '../../../src/fleet/sessions/session.js';
import { fakeConnectors } from '../../support/fake-connectors.js';
import { FakeEngine } from '../../support/fake-engine.js';

it('keeps the position of the pointer after its screen was closed, and not the screen', async () => {
  const connectors = fakeConnectors();
  const session = new Session(new FakeEngine(), { id: 'cmp_1', private_key: '' }, connectors);
  await session.screen.use(async () => undefined);
  session.screen.close();
  const [screen] = connectors.screens;
  Object.assign(screen ?? {}, { pointer: { x: 1, y: 1 } });
  expect(session.pointer).toEqual({ x: 640, y: 400 });
});
