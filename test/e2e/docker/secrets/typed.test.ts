import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';

/** Typed as keys, and pasted. */
const VALUES = {
  KEYS: `Pw-${randomBytes(9).toString('hex')}!`,
  PASTED: `Pä-${randomBytes(9).toString('hex')}-世界`,
};
/** What is searched for: the characteristic part of each value, as it is and in base64. */
const NEEDLES = Object.values(VALUES).flatMap((value) => {
  const [, part = ''] = /-(\w{18})/.exec(value) ?? [];
  const whole = Buffer.from(value).toString('base64').replaceAll('=', '');
  return [part, whole, Buffer.from(part).toString('hex')];
});

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop(['--log-level', 'trace']);
});
afterAll(() => desktop.close());

const C = () => `/computers/${desktop.id}`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Everything that the service has answered. */
const answers: string[] = [];
const call = async (method: string, path: string, body?: object) => {
  const { status, json } = await desktop.service.http(method, path, body);
  answers.push(JSON.stringify(json));
  return { status, json };
};

/** A terminal that hashes the next line that is typed into it. */
async function listen(file: string): Promise<void> {
  await desktop.run(
    `xterm -e 'bash -c "touch ${file}.ready; IFS= read -rs x; printf %s \\"\\$x\\" | sha256sum > ${file}"' >/dev/null 2>&1 &`,
  );
  await desktop.until(
    `test -e ${file}.ready && xdotool search --onlyvisible --class xterm >/dev/null`,
  );
  await desktop.computer.wait({ until: 'stable' });
}

/** What has the value: files and processes by name. */
function places(roots: readonly string[]): string[] {
  const found: string[] = [];
  const search = (file: string, bytes: Buffer) => {
    if (NEEDLES.some((needle) => bytes.includes(needle))) found.push(file);
  };
  for (const root of roots) {
    for (const name of readdirSync(root, { recursive: true })) {
      const file = join(root, String(name));
      if (lstatSync(file).isFile()) search(file, readFileSync(file));
    }
  }
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const what of ['cmdline', 'environ']) {
      try {
        search(`/proc/${pid}/${what}`, readFileSync(`/proc/${pid}/${what}`));
      } catch {
        // The process has ended.
      }
    }
  }
  return found;
}

it('the value of a secret is nowhere but in the program that it was typed into', async () => {
  const { service, project } = desktop;
  let isOver = false;
  const seen: string[] = [];
  const watching = (async () => {
    while (!isOver) {
      seen.push(...places([]));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for (const [name, value] of Object.entries(VALUES)) {
    const set = await service.cli(['secret', 'set', name, '-p', project], { input: value });
    answers.push(set.stdout, set.stderr);
    expect(set.code, set.stderr).toBe(0);
    const file = `/tmp/typed-${name}`;
    await listen(file);
    // Refused, with nothing typed: the line that the terminal reads is the value alone.
    const text = `{{secret:${name}}}\n`;
    expect((await call('POST', `${C()}/type`, { text })).status).toBe(400);
    expect((await call('POST', `${C()}/type`, { text, secrets: ['OTHER'] })).status).toBe(400);
    const typed = await service.cli(['type', desktop.name, text, '--secret', name]);
    answers.push(typed.stdout, typed.stderr);
    expect(typed.code, typed.stderr).toBe(0);
    const read = () => desktop.run(`cat ${file} 2>/dev/null; true`);
    await eventually(async () => (await read()).startsWith(hash(value)), 30_000);
  }
  // The clipboard has none of what was pasted.
  await call('GET', `${C()}/clipboard`);
  await call('GET', `/projects/${project}/secrets`);
  await call('GET', `${C()}/actions?limit=100`);
  await call('GET', '/audit?limit=1000');
  await call('GET', '/openapi.json');
  isOver = true;
  await watching;
  expect(seen).toEqual([]);
  expect(places([service.directory])).toEqual([]);
  const log = service.log();
  expect(log.length).toBeGreaterThan(100);
  for (const needle of NEEDLES) {
    expect(log).not.toContain(needle);
    expect(answers.filter((answer) => answer.includes(needle))).toEqual([]);
  }
  // The search finds a value in a file and in a process.
  const planted = join(service.directory, 'planted');
  writeFileSync(planted, `xx${VALUES.KEYS}`);
  const child = spawn('sh', ['-c', 'sleep 60; true', VALUES.PASTED]);
  await eventually(async () => places([]).length > 0);
  expect(places([service.directory])).toEqual([planted, `/proc/${child.pid}/cmdline`]);
  child.kill();
});
