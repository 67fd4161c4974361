import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { type OwnDesktop, openOwnDesktop, untilRunning } from '../../../support/service/desktop.js';
import type { Json } from '../../../support/service/service.js';

const VC = new URL('../../../../bin/vc.js', import.meta.url).pathname;
const TEXT = 'Grüße, Привет, 中文 👍';
const SECRET = 's3cret-Zebra-4711';

/** An emulated machine paints a window long after it has opened it, and pauses in between. */
const QUIET_MS = inject('engine') === 'qemu' ? 3000 : 100;

/** What an agent does: it opens an editor, types, and saves. */
const SCRIPT = [
  { action: 'bash', command: 'touch notes.txt; mousepad notes.txt', background: true },
  { action: 'bash', command: 'xdotool search --sync --onlyvisible --class mousepad' },
  { action: 'screenshot', settle: { quiet_ms: QUIET_MS, max_ms: 60_000 } },
  { action: 'type', text: TEXT, settle: true },
  { action: 'key', key: 'ctrl+s', settle: true },
  { action: 'wait', until: 'stable' },
];

describe('a run that is recorded', () => {
  let desktop: OwnDesktop;
  let second: string;
  beforeAll(async () => {
    desktop = await openOwnDesktop();
    await desktop.until('xdotool search --onlyvisible --class xfce4-panel >/dev/null');
    second = `${desktop.project}/second`;
    const { http } = desktop.service;
    const { json } = await http('POST', `/computers/${desktop.id}/fork`, { name: 'second' });
    await untilRunning(desktop.service, json.id);
  });
  afterAll(() => desktop?.close());

  const directory = (name: string) => join(desktop.service.directory, name);
  const linesOf = (name: string): Json[] =>
    readFileSync(join(directory(name), 'trajectory.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
  const inSecond = async (command: string) => {
    const answer = await desktop.service.http(
      'POST',
      `/projects/${desktop.project}/computers/second/bash`,
      { command },
    );
    return answer.json.stdout as string;
  };
  const untilStable = () =>
    desktop.service.vc
      .computer({ project: desktop.project, name: 'second' })
      .wait({ until: 'stable' });
  const cli = (...argv: string[]) => desktop.service.cli(argv, { cwd: desktop.service.directory });

  it('can be carried out again on a fork, with the same file in the end', async () => {
    rmSync(directory('run'), { recursive: true, force: true });
    await desktop.run('pkill -x mousepad; rm -f notes.txt; true');
    writeFileSync(directory('script.jsonl'), SCRIPT.map((one) => JSON.stringify(one)).join('\n'));
    const command = [process.execPath, VC, 'computer', 'run', desktop.name, 'script.jsonl'];
    const recorded = await cli('computer', 'record-run', desktop.name, 'run', '--', ...command);
    expect(recorded).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('wrote run (4 steps)'),
    });
    expect(await desktop.run('cat notes.txt')).toContain(TEXT);

    const [header, ...lines] = linesOf('run');
    expect(header).toMatchObject({
      ...{ type: 'trajectory', version: 1, screen: { width: 1280, height: 800 } },
      computer: { project: desktop.project, name: 'desktop' },
    });
    const steps = lines.slice(0, -1);
    expect(steps.map(({ action }) => action.action)).toEqual(['bash', 'bash', 'type', 'key']);
    expect(steps[2]).toMatchObject({ action: { text: TEXT }, outcome: 'ok' });
    expect(lines.at(-1)).toMatchObject({ type: 'end', reason: 'request' });
    const named = new Set(steps.flatMap(({ before, after }) => [before, after]));
    const files = readdirSync(join(directory('run'), 'pictures')).map((one) => `pictures/${one}`);
    expect([...named].every((name) => files.includes(name))).toBe(true);
    expect(steps[2].before).not.toBe(steps[2].after);

    await inSecond('pkill -x mousepad; rm -f notes.txt; true');
    const replayed = await cli('computer', 'replay', second, 'run', '--within', '1m');
    expect(replayed).toMatchObject({ code: 0, stderr: `replayed 4 steps in ${second}\n` });
    await eventually(async () => (await inSecond('cat notes.txt')).includes(TEXT));
    const sum = 'sha256sum notes.txt';
    expect(await inSecond(sum)).toBe(await desktop.run(sum));
  });

  it('stops on a screen that is another one, and says at which step', async () => {
    const program = "sh -c 'touch opened; sleep 1000'";
    await inSecond(
      `pkill -x mousepad; rm -f notes.txt opened; xterm -geometry 150x50 -e ${program} >/dev/null 2>&1 &`,
    );
    await inSecond('until test -e opened; do sleep 0.1; done');
    await untilStable();
    const stopped = await cli('computer', 'replay', second, 'run', '--within', '1s', '--json');
    expect(stopped.code).toBe(3);
    const answer = JSON.parse(stopped.stdout) as Json;
    expect(answer).toMatchObject({ success: false, steps: 0, step: 1 });
    expect(answer.error).toMatch(/^before step 1 \(bash\) the screen differs from the recording: /);
    expect(answer.screen_percent).toBeGreaterThan(2);
    expect([answer.recorded, answer.actual].map((path) => existsSync(path))).toEqual([true, true]);
    expect(await inSecond('ls notes.txt 2>&1; true')).toContain('No such file');
    await inSecond('pkill -x xterm; true');
  });

  it('stops in the middle where the screen changes, before anything is typed there', async () => {
    await inSecond(
      "pkill -x 'mousepad|xterm'; yes 'a line, not of the recording' | head -60 >notes.txt",
    );
    await untilStable();
    const before = await inSecond('sha256sum notes.txt');
    const stopped = await cli('computer', 'replay', second, 'run', '--within', '10s', '--json');
    expect(stopped.code).toBe(3);
    const answer = JSON.parse(stopped.stdout) as Json;
    expect(answer).toMatchObject({ success: false, steps: 2, step: 3 });
    expect(answer.error).toMatch(/^before step 3 \(type\) the screen differs from the recording: /);
    expect([answer.recorded, answer.actual].map((path) => existsSync(path))).toEqual([true, true]);
    expect(await inSecond('sha256sum notes.txt')).toBe(before);
    await inSecond('pkill -x mousepad; rm notes.txt');
  });

  it('has placeholders in place of secrets, in every file', async () => {
    const { cli: run } = desktop.service;
    await run(['secret', 'set', 'PIN', '-p', desktop.project], { input: SECRET });
    await cli('computer', 'trajectory', desktop.name, 'start');
    const body = { text: '{{secret:PIN}}', secrets: ['PIN'] };
    const { http } = desktop.service;
    expect((await http('POST', `/computers/${desktop.id}/type`, body)).status).toBe(200);
    const calls = [{ type: 'tool_use', id: 't1', toolset_name: 'computer', name: 'type' }];
    const items = calls.map((call) => ({ ...call, input: { text: '{{secret:PIN}}' } }));
    const used = await http('POST', `/computers/${desktop.id}/computer-use`, {
      ...{ items, secrets: ['PIN'] },
    });
    expect(used.json.success).toBe(true);
    rmSync(directory('secret'), { recursive: true, force: true });
    const ended = await cli('computer', 'trajectory', desktop.name, 'end', '-o', 'secret');
    expect(ended.code).toBe(0);
    const lines = linesOf('secret').filter(({ type }) => type === 'step');
    expect(lines.map(({ action }) => action.text)).toEqual(['{{secret:PIN}}', '{{secret:PIN}}']);
    const state = join(desktop.service.directory, 'state', 'trajectories');
    for (const top of [directory('secret'), state]) {
      const names = readdirSync(top, { recursive: true, encoding: 'utf8', withFileTypes: true });
      const files = names
        .filter((one) => one.isFile())
        .map((one) => join(one.parentPath, one.name));
      expect(files.length).toBeGreaterThan(1);
      for (const path of files) expect(readFileSync(path).includes(SECRET), path).toBe(false);
    }
    const refused = await cli('computer', 'replay', second, 'secret');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--secret NAME') });
  });

  it('refuses a second recording, and a directory that is not empty', async () => {
    mkdirSync(directory('full'), { recursive: true });
    writeFileSync(join(directory('full'), 'mine'), '');
    const full = await cli('computer', 'record-run', desktop.name, 'full', '--', 'true');
    expect(full).toMatchObject({ code: 125, stderr: expect.stringContaining('full is not empty') });
    await cli('computer', 'trajectory', desktop.name, 'start');
    const again = await cli('computer', 'trajectory', desktop.name, 'start');
    expect(again).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('being recorded already'),
    });
    const removed = await cli('computer', 'trajectory', desktop.name, 'rm');
    expect(removed.stderr).toBe(`removed the trajectory of ${desktop.name}\n`);
    expect((await cli('computer', 'trajectory', desktop.name)).code).toBe(5);
  });
});
