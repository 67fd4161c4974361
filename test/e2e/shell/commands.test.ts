import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promise } from '../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../support/service/desktop.js';
import { vitals, watchMemory } from '../../support/service/vitals.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop.close());

const bash = async (body: object) =>
  (await desktop.service.http('POST', `/computers/${desktop.id}/bash`, body)).json;
const python = async (body: object) =>
  (await desktop.service.http('POST', `/computers/${desktop.id}/exec`, body)).json;

describe('bash', () => {
  it('returns stdout, stderr and the exit code separately', async () => {
    expect(await bash({ command: 'echo out; echo err >&2; exit 3' })).toEqual({
      success: true,
      output: 'out\nerr\n',
      stdout: 'out\n',
      stderr: 'err\n',
      exit_code: 3,
      timed_out: false,
      truncated: false,
    });
  });

  it('runs as an ordinary user on the desktop, with the given directory and variables', async () => {
    const { stdout } = await bash({
      command: 'pwd; echo "$X"; id -un; echo $DISPLAY',
      cwd: '/tmp',
      env: { X: "it's $HOME; `id`" },
    });
    expect(stdout.split('\n')).toEqual(['/tmp', "it's $HOME; `id`", 'user', ':0', '']);
  });

  it('refuses a missing directory', async () => {
    const { status, json } = await desktop.service.http('POST', `/computers/${desktop.id}/bash`, {
      command: 'pwd',
      cwd: '/no/such',
    });
    expect(status).toBe(400);
    expect(json.error).toContain('/no/such');
  });

  promise(
    18,
    'ends the whole process group at the time-out, even if it ignores TERM',
    async (report) => {
      const startedAt = Date.now();
      const result = await bash({
        command: "trap '' TERM; (trap '' TERM; sleep 71) & echo begun; sleep 72",
        timeout: 1,
      });
      expect(result).toMatchObject({ timed_out: true, exit_code: null, stdout: 'begun\n' });
      report(
        `ended ${((Date.now() - startedAt) / 1000).toFixed(1)} s after a time-out of 1 s began`,
      );
      expect((await bash({ command: 'pgrep -f "sleep 7[12]"' })).exit_code).toBe(1);
    },
  );

  promise.thorough(
    18,
    'caps the output of commands that print endlessly, with flat memory',
    async (report) => {
      const endless = () => bash({ command: 'yes', timeout: 5 });
      await endless();
      const before = vitals(desktop.service.pid).mib;
      const memory = watchMemory(desktop.service.pid);
      for (const result of await Promise.all([endless(), endless(), endless()])) {
        expect(result).toMatchObject({ timed_out: true, truncated: true });
        expect(result.stdout).toHaveLength(1024 * 1024);
      }
      const growth = memory.stop() - before;
      // Three complete outputs would need hundreds of MiB.
      expect(growth).toBeLessThan(120);
      expect((await bash({ command: 'echo next' })).stdout).toBe('next\n');
      report(`1 MiB kept of each of three, +${growth} MiB`);
    },
  );

  promise(
    18,
    'ends a command whose client has disconnected, with its whole group',
    async (report) => {
      const controller = new AbortController();
      const left = fetch(`${desktop.service.baseUrl}/computers/${desktop.id}/bash`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${desktop.service.apiKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ command: "trap '' TERM; sleep 73 & sleep 73" }),
        signal: controller.signal,
      }).catch(() => 'left');
      await desktop.until('pgrep -f "^sleep 73" >/dev/null');
      controller.abort();
      const abortedAt = performance.now();
      expect(await left).toBe('left');
      await desktop.until('! pgrep -f "^sleep 73" >/dev/null');
      report(`gone ${((performance.now() - abortedAt) / 1000).toFixed(1)} s after its client`);
      expect((await bash({ command: 'echo next' })).stdout).toBe('next\n');
    },
  );

  it('returns at once while a program that it started keeps running', async () => {
    const startedAt = Date.now();
    const result = await bash({ command: 'xterm -T waiting -e sleep 60 & echo started' });
    expect(result.stdout).toBe('started\n');
    expect(Date.now() - startedAt).toBeLessThan(3_000);
    await desktop.until('xdotool search --name "^waiting$" >/dev/null');
    await bash({ command: 'pkill -x xterm' });
  });

  it('leaves a background command running and returns its process id', async () => {
    const { pid, exit_code } = await bash({ command: 'sleep 74', background: true });
    expect(exit_code).toBeNull();
    expect((await bash({ command: `kill -0 ${pid} && echo alive` })).stdout).toBe('alive\n');
    await bash({ command: `kill ${pid}` });
  });

  it('preserves any text in commands and output', async () => {
    const text = 'é Ж 中 العربية 👍🏽 \' " $ ` \\ \u{1F468}\u200D\u{1F469}';
    const { stdout } = await bash({ command: `cat <<'END'\n${text}\nEND` });
    expect(stdout).toBe(`${text}\n`);
  });

  it('shows nothing of the command in a process list', async () => {
    const { stdout } = await bash({ command: ': top-secret-word; ps -eo args' });
    expect(stdout).not.toContain('top-secret-word');
  });

  it('runs many commands at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, i) => bash({ command: `sleep 0.1; echo ${i}` })),
    );
    expect(results.map((result) => Number(result.stdout))).toEqual(results.map((_, i) => i));
  });
});

describe('Python', () => {
  it('returns its output', async () => {
    expect(await python({ code: 'import sys\nprint("é 中")\nprint(1 + 1)' })).toEqual({
      success: true,
      output: 'é 中\n2\n',
      timed_out: false,
      truncated: false,
    });
  });

  it('returns the class and line of an error', async () => {
    const result = await python({ code: 'print("before")\nx = 1 / 0' });
    expect(result).toMatchObject({
      success: false,
      output: 'before\n',
      error_type: 'ZeroDivisionError',
      timed_out: false,
    });
    expect(result.error).toContain('line 2');
    expect((await python({ code: 'if' })).error_type).toBe('SyntaxError');
  });

  it('is killed at its time-out', async () => {
    expect(await python({ code: 'while True: pass', timeout: 1 })).toMatchObject({
      success: false,
      timed_out: true,
    });
  });

  it('sees the desktop', async () => {
    const { output } = await python({
      code: 'import subprocess; print(subprocess.check_output(["xdotool", "getdisplaygeometry"]).decode())',
    });
    expect(output.trim()).toBe('1280 800');
  });
});
