import { afterAll, beforeAll, expect } from 'vitest';
import { openTerminal, type Terminal } from '../../support/cli/terminal.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../support/service/desktop.js';

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
  /** True when the command is in the middle of it. */
  begun(): Promise<boolean>;
  /** What is said of what keeps running. */
  readonly says?: RegExp;
  /** It is the program in the computer that is interrupted. */
  readonly passesOn?: true;
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
  'Ctrl-C stops a command at once, says what keeps running, and leaves the terminal as it was',
  async (report) => {
    const job = await desktop.computer.bash('sleep 703', { background: true });
    const cases: Case[] = [
      {
        words: 'computer create e2e/second',
        begun: async () => (await status('second')) === 'starting',
        says: /the service may still create it; see: vc computer get e2e\/second/,
      },
      {
        words: "computer bash e2e/desktop 'sleep 701'",
        begun: () => runs('sleep 701'),
        passesOn: true,
      },
      {
        words: 'computer exec e2e/desktop -- sleep 702',
        begun: () => runs('sleep 702'),
        passesOn: true,
      },
      {
        words: `job logs e2e/desktop ${job.job_id} --follow`,
        // It has nothing to show: that it has asked is in the service's log.
        begun: async () => desktop.service.log().includes('/jobs/:job'),
        says: /the command is still running; to end it: vc job end e2e\/desktop job_/,
      },
      { words: 'computer rm e2e/desktop', begun: () => shows(/\[y\/N\]/) },
    ];
    const took: number[] = [];
    for (const { words, begun, says, passesOn } of cases) {
      await terminal.vc(words);
      await eventually(begun, 60_000).catch(async (cause) => {
        throw new Error(`${words} did not begin: ${await terminal.screen()}`, { cause });
      });
      const began = performance.now();
      await terminal.type('C-c');
      await terminal.shows(/ended \d+$/m);
      took.push(Math.round(performance.now() - began));
      const shown = await terminal.screen();
      expect(shown, words).toMatch(/ended 130$/m);
      if (!passesOn) expect(shown, words).toContain('interrupted');
      if (says) expect(shown.replaceAll('\n', ' '), words).toMatch(says);
      await terminal.isAsBefore();
    }
    // What was said to keep running does; what was stopped has stopped.
    await eventually(async () => (await status('second')) === 'running', 60_000);
    await eventually(async () => !(await runs('sleep 70[12]')), 20_000);
    expect(await runs('sleep 703')).toBe(true);
    expect(await status('desktop')).toBe('running');
    report(`${cases.length} commands, slowest ${Math.max(...took)} ms`);
  },
  240_000,
);
