// @module-tag slow
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'junit2json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Examples, openExamples } from '../../support/cli/examples.js';
import { eventually } from '../../support/eventually.js';
import { isThorough } from '../../support/run/tiers.js';
import { openTestService, type TestService, VC } from '../../support/service/service.js';

const TASKS = new URL('../../../examples/runs/tasks.yaml', import.meta.url).pathname;
/** In a quick run other tests use the processors as well. */
const COMPUTERS = isThorough ? 4 : 2;

let service: TestService;
let examples: Examples;
beforeAll(async () => {
  service = await openTestService(['--max-running', '4']);
  examples = openExamples(service);
});
afterAll(() => service.close());

/** `vc run` with `vc` in the path of the agents. */
function start(words: string) {
  const env = { ...service.env, PATH: `${service.directory}/bin:${service.env.PATH}` };
  const argv = [VC, 'run', ...words.split(' ')];
  return execa(process.execPath, argv, {
    ...{ env, extendEnv: false, cwd: examples.directory, reject: false, stdin: 'ignore' },
  });
}

/** The results that `--json` prints. */
function linesOf({ stdout, stderr }: { stdout: string; stderr: string }) {
  if (stdout === '') throw new Error(stderr);
  return stdout.split('\n').map((line) => JSON.parse(line));
}

const left = async () => ({
  projects: (await service.vc.projects.list()).map(({ name }) => name),
  keys: (await service.vc.keys.list()).filter(({ project }) => project !== null),
});
const file = (...path: string[]) => join(examples.directory, ...path);

it('runs ten tasks side by side, after a kill only those that were not completed', async () => {
  rmSync(file('results'), { recursive: true, force: true });
  const killed = start(`${TASKS} --computers ${COMPUTERS} --out results`);
  const completed = () =>
    existsSync(file('results'))
      ? readdirSync(file('results')).filter((name) =>
          existsSync(file('results', name, 'result.json')),
        )
      : [];
  await eventually(async () => completed().length >= 2, 300_000);
  killed.kill('SIGKILL');
  await killed;
  const before = completed();
  expect(before.length).toBeLessThan(10);
  const times = before.map((name) => readFileSync(file('results', name, 'result.json'), 'utf8'));

  const continued = await start(
    `${TASKS} --computers ${COMPUTERS} --out results --junit results.xml --json`,
  );
  const results = linesOf(continued);
  expect(results.map(({ name, status, message }) => [name, status, message]).sort()).toEqual(
    results.map(({ name }) => [name, 'passed', '']).sort(),
  );
  expect(results).toHaveLength(10);
  expect(continued.exitCode).toBe(0);
  expect(before.map((name) => readFileSync(file('results', name, 'result.json'), 'utf8'))).toEqual(
    times,
  );
  expect(await left()).toEqual({ projects: [], keys: [] });
  for (const { name } of results) {
    const made = readdirSync(file('results', name));
    expect(made.sort()).toEqual(['log.txt', 'result.json', 'screenshot.png', 'trajectory']);
  }
  const steps = readFileSync(file('results/calculator/trajectory/trajectory.jsonl'), 'utf8');
  expect(steps).toContain('6*7');
  const xml = await parse(readFileSync(file('results.xml'), 'utf8'));
  expect(xml).toMatchObject({ name: 'desktop', tests: 10, failures: 0, errors: 0 });

  const table = await start(`${TASKS} --out results`);
  expect(table.stdout).toMatch(/^TASK\tRESULT\tTIME\tMESSAGE\neditor-write\tpassed\t/);
  expect(table.stderr).toMatch(/10 were completed before.*\n10 of 10 tasks passed/);
}, 900_000);

it('reports agents that fail, hang, print secrets or end their computer, and leaves nothing', async () => {
  writeFileSync(
    file('bad.yaml'),
    `name: bad
secrets: [MODEL_KEY]
defaults: {timeout: 60s, check: {file: /etc/passwd}}
tasks:
  crashes: {agent: 'exit 3'}
  hangs: {timeout: 2s, agent: "trap '' TERM; sleep 1000 & echo $! > hanging; wait; sleep 1000"}
  unmet: {agent: 'true', check: {file: none}}
  prints: {agent: 'echo "$MODEL_KEY $VC_API_KEY"; exit 4'}
  endless: {timeout: 3s, agent: yes}
  ends: {agent: 'vc bash "$VC_COMPUTER" "sudo kill -9 -1; kill -9 -1" || true', check: {command: 'true'}}
  reaches: {agent: 'test "$(vc project ls | tail -n +2 | cut -f1)" = "$VC_PROJECT" && ! vc computer rm "$VC_COMPUTER" --yes'}
  setup: {agent: 'true', setup: 'echo no $MODEL_KEY; exit 5'}
`,
  );
  rmSync(file('bad'), { recursive: true, force: true });
  service.env.MODEL_KEY = 'sk-1234567890';
  const ended = await start('bad.yaml --computers 4 --out bad --json --junit bad.xml');
  const by = new Map(linesOf(ended).map((line) => [line.name, line]));
  expect(ended.exitCode).toBe(1);
  expect(by.get('crashes')).toMatchObject({ status: 'error', exit_code: 3 });
  expect(by.get('hangs')).toMatchObject({
    status: 'error',
    message: expect.stringMatching(/longer than 2 s/),
  });
  expect(by.get('unmet')).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/Not met within/),
  });
  expect(by.get('reaches')).toMatchObject({ status: 'passed' });
  const setup = expect.stringMatching(/The setup failed with exit code 5/);
  expect(by.get('setup')).toMatchObject({ status: 'error', message: setup });
  expect(by.get('ends').status).not.toBe('passed');
  expect(readFileSync(file('bad/prints/log.txt'), 'utf8')).toBe('*** ***\n');
  expect(() => process.kill(Number(readFileSync(file('hanging'), 'utf8')), 0)).toThrow();
  expect(readFileSync(file('bad/endless/log.txt')).length).toBeLessThan(17 * 1024 * 1024);
  expect(await parse(readFileSync(file('bad.xml'), 'utf8'))).toMatchObject({ tests: 8 });
  expect(await left()).toEqual({ projects: [], keys: [] });
}, 600_000);

it('Ctrl-C ends the agents and leaves no computers', async () => {
  writeFileSync(
    file('long.yaml'),
    `name: long
tasks: {waits: {agent: 'echo $$ > waiting; sleep 1000', check: {file: none}}}
`,
  );
  rmSync(file('waiting'), { force: true });
  rmSync(file('long'), { recursive: true, force: true });
  const running = start('long.yaml --out long');
  await eventually(async () => existsSync(file('waiting')), 120_000);
  running.kill('SIGINT');
  const { exitCode, stderr } = await running;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/to continue: vc run long\.yaml --out long/);
  expect(() => process.kill(Number(readFileSync(file('waiting'), 'utf8')), 0)).toThrow();
  expect(await left()).toEqual({ projects: [], keys: [] });
}, 300_000);

it('begins from a computer or a snapshot, records videos, and leaves no image', async () => {
  const { vc } = service;
  await vc.projects.create('sources');
  const source = await vc.computers.create('sources', { name: 'desk' });
  await source.files.write('kept.txt', 'first');
  await source.snapshots.create('clean');
  await source.files.write('kept.txt', 'second');
  writeFileSync(
    file('from.yaml'),
    `name: from
defaults: {agent: 'vc move "$VC_COMPUTER" 9 9; sleep 5'}
tasks:
  computer: {from: sources/desk, check: {command: grep -qx second kept.txt}}
  snapshot: {from: sources/desk@clean, check: {command: grep -qx first kept.txt}}
`,
  );
  rmSync(file('from'), { recursive: true, force: true });
  const ended = await start('from.yaml --computers 2 --out from --video --json');
  const results = linesOf(ended).map(({ name, status, message }) => [name, status, message]);
  expect(results.sort()).toEqual([
    ['computer', 'passed', ''],
    ['snapshot', 'passed', ''],
  ]);
  for (const name of ['computer', 'snapshot']) {
    const video = file('from', name, 'video.mp4');
    const { stderr } = await execa('ffmpeg', ['-i', video, '-f', 'null', '-']);
    expect(stderr).toContain('Video: h264');
    const [, seconds] = /.*time=00:00:([\d.]+)/s.exec(stderr) ?? [];
    expect(Number(seconds), stderr).toBeGreaterThan(1);
  }
  await vc.projects.delete('sources');
  expect((await vc.images.list()).images.filter(({ kind }) => kind === 'saved')).toEqual([]);
  expect(await left()).toEqual({ projects: [], keys: [] });
}, 600_000);
