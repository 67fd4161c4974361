import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { type FakeService, startFakeService } from '../../../cli/support/fake-service.js';
import { API_KEY } from '../../../cli/support/run.js';
import { openTerminal, type Terminal } from '../../../support/cli/tmux.js';
import { eventually } from '../../../support/eventually.js';

const VC = new URL('../../../../bin/vc.js', import.meta.url).pathname;

let service: FakeService;
let directory: string;
let terminal: Terminal;
/** What the program of the last `vc exec` has read; `end` for the end of its input. */
let read: string[];
let program: WebSocket | undefined;
beforeAll(async () => {
  service = await startFakeService();
  directory = await mkdtemp(join(tmpdir(), 'vc-job-'));
  service.onProcess((_, socket) => {
    program = socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) read.push(data.subarray(1).toString());
      else if (JSON.parse(data.toString()).type === 'stdin_end') read.push('end');
    });
  });
});
afterAll(async () => {
  await service.close();
  // A command that has just ended may still write its cache there.
  await rm(directory, { recursive: true, maxRetries: 10 });
});
beforeEach(async () => {
  read = [];
  program = undefined;
  terminal = await openTerminal({
    command: ['bash', '--norc', '--noprofile', '-i'],
    cwd: directory,
    env: {
      ...{ PATH: process.env.PATH, HOME: directory, PS1: '$ ', VC_CONFIG_DIR: directory },
      ...{ VC_BASE_URL: service.baseUrl, VC_API_KEY: API_KEY, NODE: process.execPath, VC },
    },
  });
  await terminal.shows('$ ');
});
afterEach(() => terminal.close());

const enter = async (line: string) => {
  await terminal.type(line);
  await terminal.press('Enter');
};
const exit = () => {
  program?.send(Buffer.concat([Buffer.of(1), Buffer.from('printed by the program\n')]));
  program?.send(JSON.stringify({ type: 'exit', code: 0, signal: null }));
  program?.close();
};

it('a job behind & does not read the terminal, is not stopped, and ends', async () => {
  await enter('"$NODE" "$VC" exec demo/desktop -- cat &');
  await eventually(async () => read.includes('end'));
  await enter('echo "typed $((40+2))"');
  await terminal.shows('typed 42');
  await enter('jobs');
  const shown = await terminal.shows(/\[1\]\+ +\S+ +"\$NODE"/);
  expect(shown).toMatch(/\[1\]\+ +Running/);
  exit();
  await terminal.shows('printed by the program');
  await enter('wait; echo "code $?"');
  await terminal.shows('code 0');
  expect(await terminal.screen()).not.toContain('Stopped');
  expect(read).toEqual(['end']);
});

it('a job that is continued in the background reads again when it is back', async () => {
  await enter('"$NODE" "$VC" exec demo/desktop -- cat');
  await eventually(async () => program !== undefined);
  await enter('first');
  await eventually(async () => read.join('') === 'first\n');
  await terminal.press('C-z');
  await terminal.shows(/\[1\]\+ +Stopped/);
  await enter('bg');
  await enter('echo "typed $((40+2))"');
  await terminal.shows('typed 42');
  await enter('jobs');
  await terminal.shows(/\[1\]\+ +Running/);
  await enter('fg');
  // What is typed earlier may go to the shell.
  await terminal.shows(/fg\n"\$NODE"/);
  await enter('second');
  await eventually(async () => read.join('') === 'first\nsecond\n');
  exit();
  await terminal.shows('printed by the program');
});

it('vc shell behind & is refused, and is not stopped', async () => {
  await enter('"$NODE" "$VC" shell demo/desktop &');
  await terminal.shows('error: a background job has no terminal');
  await enter('wait %1; echo "code $?"');
  await terminal.shows('code 125');
  expect(await terminal.screen()).not.toContain('Stopped');
  expect(program).toBeUndefined();
});
