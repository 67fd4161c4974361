import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { openMcp } from '../../../support/client/mcp.js';
import { eventually } from '../../../support/eventually.js';
import { promise } from '../../../support/run/promise.js';
import { disguises } from '../../../support/secrets/disguises.js';
import { openSearch } from '../../../support/secrets/search.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';

/** Typed as keys, and pasted. */
const VALUES = {
  KEYS: `Pw-${randomBytes(9).toString('hex')}!`,
  PASTED: `Pä-${randomBytes(9).toString('hex')}-世界`,
};
const NAMES = Object.keys(VALUES) as (keyof typeof VALUES)[];
/** What is searched for: each value and its characteristic part, as they are and encoded. */
const { needles, places } = openSearch(
  Object.values(VALUES).flatMap((value) => {
    const [, part = ''] = /-(\w{18})/.exec(value) ?? [];
    return [...disguises(value), ...disguises(part)];
  }),
  // The disks and the memory of a machine are those of its programs.
  /\/qemu\/.*\/([^/]+\.qcow2|memory[^/]*|state[^/]*|kernel|initrd)$/,
);

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop(['--log-level', 'trace']);
});
afterAll(() => desktop.close());

const C = () => `/computers/${desktop.id}`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Everything that the service and the command line have answered. */
const answers: string[] = [];
const call = async (method: string, path: string, body?: object) => {
  const { status, json } = await desktop.service.http(method, path, body);
  answers.push(JSON.stringify(json));
  return { status, json };
};
const cli = async (args: readonly string[], input?: string) => {
  const { service } = desktop;
  const options = { cwd: service.directory, ...(input === undefined ? {} : { input }) };
  const { code, stdout, stderr } = await service.cli(args, options);
  answers.push(stdout, stderr);
  expect(code, stderr).toBe(0);
};

/** A terminal that hashes the next line that is typed into it. */
async function listen(file: string): Promise<void> {
  await desktop.run(
    `rm -f ${file}*; xterm -T listening -geometry 80x24+100+100 -e 'bash -c "touch ${file}.ready; IFS= read -rs x; printf %s \\"\\$x\\" | sha256sum > ${file}.part; mv ${file}.part ${file}"' >/dev/null 2>&1 &`,
  );
  await desktop.until(
    `test -e ${file}.ready && xdotool search --onlyvisible --class xterm >/dev/null`,
  );
  await desktop.computer.wait({ until: 'stable' });
}

const heard = async (file: string, value: string) => {
  await desktop.until(`test -e ${file}`);
  expect(await desktop.run(`cat ${file}`)).toContain(hash(value));
  await desktop.until('! pgrep -x xterm >/dev/null');
};

const overMcp = async (transport: 'stdio' | 'http', name: string, text: string) => {
  const options = { transport, revision: '2026-07-28', secrets: [name] } as const;
  const client = await openMcp(desktop.service, options);
  const actions = [{ action: 'type', text }];
  const told = await client.call('act', { computer: desktop.name, actions });
  answers.push(JSON.stringify(told));
  expect(told.isError, told.text).toBe(false);
  await client.client.close();
};

/** The ways to type a text with a secret. */
const ROUTES: Readonly<Record<string, (name: string, text: string) => Promise<unknown>>> = {
  command: (name, text) => cli(['type', desktop.name, text, '--secret', name]),
  type: async (name, text) => {
    const { status } = await call('POST', `${C()}/type`, { text, secrets: [name] });
    expect(status).toBe(200);
  },
  batch: async (name, text) => {
    const actions = [{ action: 'type', text, secrets: [name] }];
    const { json } = await call('POST', `${C()}/batch`, { actions });
    expect(json.success).toBe(true);
  },
  computerUse: async (name, text) => {
    const item = { type: 'tool_use', id: randomUUID(), toolset_name: 'computer', name: 'type' };
    const items = [{ ...item, input: { text } }];
    const { json } = await call('POST', `${C()}/computer-use`, { items, secrets: [name] });
    expect(json.success).toBe(true);
  },
  mcpOverHttp: (name, text) => overMcp('http', name, text),
  mcpOverStdio: (name, text) => overMcp('stdio', name, text),
};

/** Records the actions of `work`; resolves to the name of the directory with the trajectory. */
async function recorded(work: () => Promise<void>): Promise<string> {
  const directory = `run-${randomUUID()}`;
  // An attempt before may have left one.
  await call('DELETE', `${C()}/trajectory`);
  await cli(['computer', 'trajectory', desktop.name, 'start']);
  await work();
  await cli(['computer', 'trajectory', desktop.name, 'end', '-o', directory]);
  return directory;
}

/** Types each secret by each route. */
async function typeByEveryRoute(): Promise<void> {
  for (const name of NAMES) {
    const text = `{{secret:${name}}}\n`;
    for (const [route, type] of Object.entries(ROUTES)) {
      const file = `/tmp/${route}-${name}`;
      await listen(file);
      // Refused, with nothing typed: the line that the terminal reads is the value alone.
      if (route === 'type') {
        expect((await call('POST', `${C()}/type`, { text })).status).toBe(400);
        const other = { text, secrets: ['OTHER'] };
        expect((await call('POST', `${C()}/type`, other)).status).toBe(400);
      }
      await type(name, text);
      await heard(file, VALUES[name]);
    }
  }
}

/** Records the typing of each secret, and carries it out again. */
async function replay(): Promise<void> {
  const file = (name: string) => `/tmp/replayed-${name}`;
  const directory = await recorded(async () => {
    for (const name of NAMES) {
      await listen(file(name));
      await ROUTES.type?.(name, `{{secret:${name}}}\n`);
      await heard(file(name), VALUES[name]);
    }
  });
  for (const name of NAMES) await desktop.run(`rm ${file(name)}`);
  const allowed = NAMES.flatMap((name) => ['--secret', name]);
  // Whether the terminal is painted in a recorded picture depends on chance.
  const anyScreen = ['--tolerance', '100'];
  await cli(['computer', 'replay', desktop.name, directory, ...anyScreen, ...allowed]);
  for (const name of NAMES) await heard(file(name), VALUES[name]);
}

promise(
  10,
  'the value of a secret is nowhere but in the program that it was typed into',
  async (report) => {
    const { service, project } = desktop;
    let isOver = false;
    const seen: string[] = [];
    const watching = (async () => {
      while (!isOver) {
        seen.push(...places([]));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    for (const name of NAMES) await cli(['secret', 'set', name, '-p', project], VALUES[name]);
    const directory = await recorded(typeByEveryRoute);
    const lines = readFileSync(join(service.directory, directory, 'trajectory.jsonl'), 'utf8');
    const typed = lines.match(/"text":"\{\{secret:/g) ?? [];
    expect(typed.length).toBeGreaterThanOrEqual(NAMES.length * Object.keys(ROUTES).length);
    await replay();
    // The clipboard has none of what was pasted.
    await call('GET', `${C()}/clipboard`);
    await call('GET', `/projects/${project}/secrets`);
    await call('GET', `${C()}/actions?limit=100`);
    const { json: audit } = await call('GET', '/audit?limit=1000');
    expect(audit.entries.length).toBeGreaterThan(NAMES.length * Object.keys(ROUTES).length);
    await call('GET', '/openapi.json');
    await cli(['audit', '--json']);
    isOver = true;
    await watching;
    expect(seen).toEqual([]);
    // With the write-ahead log of the database, and then without.
    expect(places([service.directory])).toEqual([]);
    await service.kill('SIGTERM');
    expect(places([service.directory])).toEqual([]);
    await service.start();
    const log = service.log();
    expect(log.length).toBeGreaterThan(100);
    for (const needle of needles) {
      expect(log).not.toContain(needle);
      expect(answers.filter((answer) => answer.includes(needle))).toEqual([]);
    }
    // The search finds a value in a file and in a process.
    const planted = join(service.directory, 'planted');
    writeFileSync(planted, Buffer.from(`xx${VALUES.KEYS}`).toString('base64'));
    const child = spawn('sh', ['-c', 'sleep 60; true', VALUES.PASTED]);
    await eventually(async () => places([]).length > 0);
    expect(places([service.directory])).toEqual([planted, `/proc/${child.pid}/cmdline`]);
    child.kill();
    const routes = Object.keys(ROUTES).length + 1;
    report(`${NAMES.length} secrets by ${routes} routes, ${needles.length} forms of them`);
  },
  600_000,
);
