// @module-tag slow
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desktop, openDesktop, untilRunning } from '../../support/service/desktop.js';

const VALUE = "it's a secret";

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop?.close());

const http = (...request: Parameters<Desktop['service']['http']>) =>
  desktop.service.http(...request);
const create = async (fields: object) => {
  const path = `/projects/${desktop.project}/computers?wait=0`;
  const { status, json } = await http('POST', path, fields);
  expect([status, json.error]).toEqual([200, undefined]);
  return json.id as string;
};
const run = async (id: string, command: string) =>
  (await http('POST', `/computers/${id}/bash`, { command, timeout: 60 })).json.output as string;

/** What programs of the computer see: commands, Python, and those that the desktop starts. */
async function seen(id: string): Promise<string[]> {
  const code = 'import os; print(os.environ["SECRET"])';
  const { output } = (await http('POST', `/computers/${id}/exec`, { code, timeout: 60 })).json;
  const desktopHas =
    'pid=$(pgrep -x xfce4-panel) && tr "\\0" "\\n" </proc/$pid/environ | grep -E "^(SECRET|TZ|LANG)=" | sort';
  return [
    await run(id, 'echo "$SECRET"; date +%Z; LC_ALL= locale decimal_point'),
    output,
    await run(id, desktopHas),
  ];
}

it('a computer has its variables, files, setup, time zone and locale from the start and keeps them', async () => {
  const id = await create({
    ...{ name: 'made', env: { SECRET: VALUE }, timezone: 'Asia/Tokyo', locale: 'de_DE.UTF-8' },
    files: [
      { path: '/etc/vc-test/app.json', content: '{}', mode: '0640' },
      { path: 'bytes', content_base64: 'AAEC' },
    ],
    setup:
      'echo "setup of $SECRET"; cat /etc/vc-test/app.json; sudo touch /etc/was-root; echo run >>runs',
  });
  await untilRunning(desktop.service, id);
  const everywhere = [
    `${VALUE}\nJST\n,\n`,
    `${VALUE}\n`,
    `LANG=de_DE.UTF-8\nSECRET=${VALUE}\nTZ=Asia/Tokyo\n`,
  ];
  expect(await seen(id)).toEqual(everywhere);
  const files = "stat -c '%a %U %s' /etc/vc-test/app.json bytes; cat runs; ls /etc/was-root";
  const made = '640 user 2\n644 user 3\nrun\n/etc/was-root\n';
  expect(await run(id, files)).toBe(made);
  const { stdout } = await desktop.service.cli(['job', 'logs', `${desktop.project}/made`, 'setup']);
  expect(stdout).toBe(`setup of ${VALUE}\n{}`);
  expect((await http('GET', `/computers/${id}`)).json).toMatchObject({ env_names: ['SECRET'] });

  await run(id, 'rm runs');
  for (const step of ['stop', 'reset', 'start?wait=0']) {
    await http('POST', `/computers/${id}/${step}`, {});
  }
  await untilRunning(desktop.service, id);
  expect(await seen(id)).toEqual(everywhere);
  expect(await run(id, files)).toBe(made);

  await http('PATCH', `/computers/${id}`, { env: { SECRET: 'new' } });
  const copy = (await http('POST', `/computers/${id}/fork?wait=0`, { name: 'copy' })).json.id;
  await untilRunning(desktop.service, copy);
  expect((await seen(copy))[1]).toBe('new\n');
  for (const each of [copy, id]) await http('DELETE', `/computers/${each}`);
}, 900_000);

it('a computer without sudo has none, and one whose setup fails says why', async () => {
  const id = await create({
    name: 'plain',
    sudo: false,
    setup: 'echo looking; sudo -n id; exit 3',
  });
  await expect(untilRunning(desktop.service, id)).rejects.toThrow(
    /setup failed with exit code 3: /,
  );
  await http('POST', `/computers/${id}/start`);
  await untilRunning(desktop.service, id);
  expect(await run(id, 'sudo -n id -u')).not.toMatch(/^0$/m);
  expect((await http('GET', `/computers/${id}/jobs/setup`)).json).toMatchObject({ exit_code: 3 });
  await http('DELETE', `/computers/${id}`);
});
