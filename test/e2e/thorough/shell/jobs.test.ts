import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { promise } from '../../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop.close());

const start = async (command: string, more: object = {}) => {
  const body = { command, background: true, ...more };
  const { json } = await desktop.service.http('POST', `/computers/${desktop.id}/bash`, body);
  return json as { job_id: string; pid: number; exit_code: null };
};
const jobs = () => desktop.computer.jobs;
const ended = (id: string) =>
  eventually(async () => {
    const job = await jobs().get(id);
    return job.status === 'exited' && job;
  });

describe('a background job', () => {
  it('is listed, readable from any offset, and keeps its exit code', async () => {
    const { job_id, pid, exit_code } = await start(
      'echo erste; until [ -e /tmp/go ]; do sleep 0.1; done; rm /tmp/go; echo ü >&2; exit 7',
    );
    expect(exit_code).toBeNull();
    const first = await eventually(async () => {
      const job = await jobs().get(job_id);
      return job.output_bytes > 0 && job;
    });
    expect(first).toMatchObject({ id: job_id, pid, status: 'running', exit_code: null });
    const listed = (await jobs().list()).filter(({ id }) => id === job_id);
    expect(listed).toMatchObject([{ id: job_id, status: 'running' }]);
    await desktop.run('touch /tmp/go');
    const done = await ended(job_id);
    expect(done).toMatchObject({ exit_code: 7, output: 'erste\nü\n', next_offset: 9 });
    expect(await jobs().get(job_id, { offset: 6 })).toMatchObject({ output: 'ü\n' });
    expect(await jobs().get(job_id, { offset: 100 })).toMatchObject({ output: '' });
    // The output never ends within a character.
    const { json } = await desktop.service.http(
      'GET',
      `/projects/e2e/computers/desktop/jobs/${job_id}?limit=16`,
    );
    expect(json.output).toBe('erste\nü\n');
  });

  it('is followed until it ends, without a piece lost or told twice', async () => {
    const { job_id } = await start('for i in 1 2 3 4 5; do echo "$i ü"; sleep 0.3; done; exit 4');
    let output = '';
    const following = jobs().follow(job_id);
    let step = await following.next();
    for (; !step.done; step = await following.next()) output += step.value;
    expect(output).toBe('1 ü\n2 ü\n3 ü\n4 ü\n5 ü\n');
    expect(step.value).toMatchObject({ status: 'exited', exit_code: 4 });
  });

  it('gets its directory and variables, and any text in its script', async () => {
    const env = { HOME: '/nowhere', PATH: '/usr/bin:/bin', X: "it's `id`" };
    const { job_id } = await start('pwd; echo "$X" $HOME; cat <<E\n\'"$(echo 1)\nE', {
      cwd: '/tmp',
      env,
    });
    expect((await ended(job_id)).output).toBe(`/tmp\nit's \`id\` /nowhere\n'"1\n`);
  });

  promise(
    18,
    'a job is killed with its whole process group, even if it ignores TERM',
    async (report) => {
      const { job_id } = await start("trap '' TERM; (trap '' TERM; sleep 81) & sleep 82; sleep 83");
      await desktop.until('pgrep -f "^sleep 82" >/dev/null');
      expect(await jobs().end(job_id)).toMatchObject({ status: 'exited', exit_code: 137 });
      await desktop.run('! pgrep -f "^sleep 8[123]"');
      expect(await jobs().end(job_id)).toMatchObject({ status: 'exited', exit_code: 137 });
      report('three processes that ignore TERM are gone');
    },
  );

  promise(18, 'a job that prints endlessly fills no disk', async (report) => {
    const { job_id } = await start('yes');
    const job = await eventually(async () => {
      const found = await jobs().get(job_id);
      return found.truncated && found;
    }, 30_000);
    expect(job).toMatchObject({ status: 'running', output_bytes: 16 * 1024 * 1024 });
    report(`${job.output_bytes / 2 ** 20} MiB kept`);
    await jobs().end(job_id);
  });

  it('is a 404 for an unknown id', async () => {
    for (const id of ['job_nope', '..', 'job_0mwpmzw9850e39fb5', '$(id)']) {
      await expect(jobs().get(id), id).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('shows nothing of its script in a process list', async () => {
    const { job_id } = await start(': a-secret-word; sleep 84');
    await desktop.until('pgrep -f "^sleep 84" >/dev/null');
    expect(await desktop.run('ps -eo args')).not.toContain('a-secret-word');
    await jobs().end(job_id);
  });

  promise(
    18,
    'a job survives SIGKILL of the service, and can then be listed, read and ended',
    async (report) => {
      const { job_id } = await start('for i in {1..600}; do echo $i; sleep 0.1; done');
      await eventually(async () => (await jobs().get(job_id)).output_bytes > 0);
      await desktop.service.kill('SIGKILL');
      await desktop.service.start();
      const found = await jobs().get(job_id);
      expect(found).toMatchObject({ status: 'running' });
      await eventually(async () => (await jobs().get(job_id)).output_bytes > found.output_bytes);
      expect(await jobs().end(job_id)).toMatchObject({ status: 'exited', exit_code: 143 });
      report('listed, read and ended after SIGKILL of the service');
    },
  );

  it('has exited after a restart of its computer', async () => {
    const { job_id } = await start('echo before; sleep 600');
    await eventually(async () => (await jobs().get(job_id)).output_bytes > 0);
    await desktop.computer.restart();
    expect(await jobs().get(job_id)).toMatchObject({
      status: 'exited',
      exit_code: null,
      output: 'before\n',
    });
    expect(await jobs().end(job_id)).toMatchObject({ status: 'exited', exit_code: null });
  });
});

describe('vc job', () => {
  const vc = (...args: string[]) => desktop.service.cli(args);

  it('follows, lists and ends jobs of bash --background', async () => {
    const started = await vc(
      ...['computer', 'bash', 'e2e/desktop', '--background'],
      'echo one; sleep 1; echo two; exit 3',
    );
    const id = started.stdout.trim();
    expect(id).toMatch(/^job_/);
    const followed = await vc('job', 'logs', 'e2e/desktop', id, '--follow');
    expect(followed).toMatchObject({ code: 3, stdout: 'one\ntwo\n' });
    const listed = JSON.parse((await vc('job', 'ls', 'e2e/desktop', '--json')).stdout);
    expect(listed.jobs.at(-1)).toMatchObject({ id, status: 'exited', exit_code: 3 });
    const { job_id } = await start('sleep 600');
    expect(await vc('job', 'end', 'e2e/desktop', job_id)).toMatchObject({ code: 0 });
    const got = JSON.parse((await vc('job', 'get', 'e2e/desktop', job_id, '--json')).stdout);
    expect(got).toMatchObject({ status: 'exited', exit_code: 143 });
    expect(await vc('job', 'get', 'e2e/desktop', 'job_nope')).toMatchObject({ code: 5 });
  });
});

describe('a command with streamed output', () => {
  it('is told as it prints, whole, with its exit code', async () => {
    const { computer } = desktop;
    const times: number[] = [];
    const result = await computer.run('echo a; sleep 1; echo b; echo c >&2; exit 3', {
      onStdout: () => times.push(performance.now()),
    });
    expect(result).toMatchObject({ exitCode: 3, stdout: 'a\nb\n', stderr: 'c\n' });
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(500);
    const large = await computer.run(['head', '-c', '3000000', '/dev/zero']);
    expect(large.stdout.length).toBe(3_000_000);
    expect(await computer.run('cat', { stdin: 'in' })).toMatchObject({ stdout: 'in' });
  });

  it('is ended with its process group when the call is', async () => {
    const signal = AbortSignal.timeout(1000);
    await expect(desktop.computer.run('sleep 9876 & wait', { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    await eventually(async () => (await desktop.run('pgrep -f "sleep 987[6]"; true')) === '');
  });
});
