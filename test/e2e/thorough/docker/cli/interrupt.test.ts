import { afterAll, beforeAll, expect } from 'vitest';
import { openTerminal, type Terminal } from '../../../../support/cli/terminal.js';
import { eventually } from '../../../../support/eventually.js';
import { promise } from '../../../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../../../support/service/desktop.js';

let desktop: OwnDesktop;
let terminal: Terminal;
beforeAll(async () => {
  desktop = await openOwnDesktop();
  terminal = await openTerminal(desktop.service);
});
afterAll(async () => {
  await terminal?.close();
  await desktop.close();
});

interface Case {
  readonly words: string;
  /** True once the command is running. */
  started(): Promise<boolean>;
  /** The message about work that continues on the service. */
  readonly message?: RegExp;
  /** The signal goes to the program in the computer. */
  readonly forwarded?: true;
}

const runs = async (program: string) =>
  (await desktop.run(`pgrep -f '^${program}' || true`)).trim() !== '';
const shows = async (what: RegExp) => what.test(await terminal.screen());
const status = async (name: string) => {
  const { json } = await desktop.service.http('GET', `/projects/e2e/computers/${name}`);
  return json.status as string | undefined;
};

promise(
  24,
  'Ctrl-C stops a command at once, says what continues, and restores the terminal',
  async (report) => {
    const job = await desktop.computer.bash('sleep 703', { background: true });
    const cases: Case[] = [
      {
        words: 'computer create e2e/second',
        started: async () => (await status('second')) === 'starting',
        message: /the service may still create it; see: vc get e2e\/second/,
      },
      {
        words: "computer bash e2e/desktop 'sleep 701'",
        started: () => runs('sleep 701'),
        forwarded: true,
      },
      {
        words: 'computer exec e2e/desktop -- sleep 702',
        started: () => runs('sleep 702'),
        forwarded: true,
      },
      {
        words: `job logs e2e/desktop ${job.job_id} --follow`,
        // The job prints nothing; the service's log has the request.
        started: async () => desktop.service.log().includes('/jobs/:job'),
        message: /the command is still running; to end it: vc job end e2e\/desktop job_/,
      },
      { words: 'computer rm e2e/desktop', started: () => shows(/\[y\/N\]/) },
    ];
    const took: number[] = [];
    for (const { words, started, message, forwarded } of cases) {
      await terminal.vc(words);
      await eventually(started, 60_000).catch(async (cause) => {
        throw new Error(`${words} did not start: ${await terminal.screen()}`, { cause });
      });
      const pressedAt = performance.now();
      await terminal.type('C-c');
      await terminal.shows(/ended \d+$/m);
      took.push(Math.round(performance.now() - pressedAt));
      const shown = await terminal.screen();
      expect(shown, words).toMatch(/ended 130$/m);
      if (!forwarded) expect(shown, words).toContain('interrupted');
      if (message) expect(shown.replaceAll('\n', ' '), words).toMatch(message);
      await terminal.isAsBefore();
    }
    // The creation and the job continue; the interrupted programs have ended.
    await eventually(async () => (await status('second')) === 'running', 60_000);
    await eventually(async () => !(await runs('sleep 70[12]')), 20_000);
    expect(await runs('sleep 703')).toBe(true);
    expect(await status('desktop')).toBe('running');
    report(`${cases.length} commands, slowest ${Math.max(...took)} ms`);
  },
  240_000,
);
