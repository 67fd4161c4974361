import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop.close());

const NAMES = [/^bash -c # vc: a job/, /^bash -c \. \/dev\/stdin # vc$/];

it('the processes of vc in a computer say so at the start of their command line', async () => {
  const waits = 'until [ -e /tmp/go ]; do sleep 0.1; done';
  const body = { command: waits, background: true };
  await desktop.service.http('POST', `/computers/${desktop.id}/bash`, body);
  const running = desktop.computer.bash(waits);
  let seen: string[] = [];
  const isNamed = async () => {
    const { stdout } = await desktop.computer.bash('ps -eo args');
    seen = stdout.split('\n');
    return NAMES.every((name) => seen.some((line) => name.test(line)));
  };
  await eventually(isNamed).catch((error: unknown) => {
    throw new Error(seen.join('\n'), { cause: error });
  });
  await desktop.computer.bash('touch /tmp/go');
  expect(await running).toMatchObject({ success: true });
});
