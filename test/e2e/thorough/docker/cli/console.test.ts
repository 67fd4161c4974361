import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTerminal, type Terminal } from '../../../../support/cli/tmux.js';
import { openTestService, type TestService } from '../../../../support/service/service.js';

const VC = new URL('../../../../../bin/vc.js', import.meta.url).pathname;

/** Commands, and the answers to their prompts. */
const steps: readonly { words: string; answers?: string; code: number }[] = [
  { words: 'project create shop', code: 0 },
  { words: 'project ls', code: 0 },
  { words: 'whoami', code: 0 },
  { words: 'computer --help', code: 0 },
  { words: 'computer get shop/none', code: 5 },
  { words: 'project rm shop', answers: 'y', code: 0 },
];
/** Escape sequences and other control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;
/** Sequences that set colours or bold text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with one
const STYLE = /\x1b\[[\d;]*m/;

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

describe('in a terminal, the output', () => {
  /** Types the commands into a shell; returns the bytes that vc wrote for each. */
  async function inTerminal(env: Record<string, string> = {}): Promise<string[]> {
    const terminal = await openTerminal({
      command: ['dash', '-i'],
      env: { ...service.env, ...env, PS1: '$ ' },
      cwd: service.directory,
    });
    try {
      await terminal.shows('$ ');
      const written: string[] = [];
      for (const [index, step] of steps.entries()) written.push(await take(terminal, index, step));
      return written;
    } finally {
      await terminal.close();
    }
  }

  async function take(
    terminal: Terminal,
    index: number,
    { words, answers, code }: (typeof steps)[number],
  ): Promise<string> {
    const before = (await terminal.written()).length;
    // The shell calculates the sum, so the marker differs from the echo of the typed command.
    await terminal.type(`'${process.execPath}' '${VC}' ${words}; echo "[$((${index}+100)) $?]"`);
    await terminal.press('Enter');
    if (answers !== undefined) {
      await terminal.shows('[y/N]');
      await terminal.type(answers);
      await terminal.press('Enter');
    }
    await terminal.shows(`[${index + 100} ${code}]`);
    const [, output = ''] = (await terminal.written()).slice(before).split(/\$\?\]"\r?\n/);
    return output;
  }

  it('has colours and relative times, and a prompt before a deletion', async () => {
    const [created, list, me, help, error, removed] = await inTerminal();
    expect(created).toMatch(/✓.* created project shop/);
    expect(list).toMatch(STYLE);
    expect(list).toMatch(/shop +0 +(just now|\d+ seconds? ago)/);
    expect(me).toMatch(/0 of 2 running/);
    expect(help).toMatch(STYLE);
    expect(error).toMatch(/error:.*\r?\n {7}[^\n]*vc ls -p shop/);
    expect(removed).toMatch(/remove project shop/i);
  });

  it('has no colours with NO_COLOR', async () => {
    for (const written of await inTerminal({ NO_COLOR: '1' })) expect(written).not.toMatch(STYLE);
  });
});

describe('in a pipe, the output', () => {
  it('has no control codes, prompts or truncated cells', async () => {
    const outcomes = [];
    for (const { words } of steps) outcomes.push(await service.cli(words.split(' ')));
    for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toMatch(CONTROL);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0, 5, 2]);
    expect(outcomes[1]?.stdout).toMatch(
      /^NAME\tCOMPUTERS\tCREATED\tID\tDEFAULT\nshop\t0\t20\d\d-\S+Z\tprj_\w+\t\n$/,
    );
    // An answer on stdin is not enough: a script must pass --yes.
    const removal = await service.cli(['project', 'rm', 'shop'], { input: 'y\n' });
    expect(removal.stderr).not.toContain('[y/N]');
    expect(removal.stderr).toContain('--yes');
    expect(removal.code).toBe(2);
    expect((await service.cli(['project', 'rm', 'shop', '--yes'])).code).toBe(0);
  });

  it('has colours with FORCE_COLOR', async () => {
    const help = await service.cli(['--help'], { env: { FORCE_COLOR: '1' } });
    expect(help.stdout).toMatch(STYLE);
    const plain = await service.cli(['--help', '--no-color'], { env: { FORCE_COLOR: '1' } });
    expect(plain.stdout).not.toMatch(CONTROL);
  });

  it('ends without an error when the reader closes the pipe', async () => {
    const line = `'${process.execPath}' '${VC}' completion bash | head -n 1`;
    const { stdout, stderr } = await execa('sh', ['-c', line], {
      ...{ env: service.env, extendEnv: false, cwd: join(service.directory) },
    });
    expect(stdout).toMatch(/^# Completion of vc for bash/);
    expect(stderr).toBe('');
  });
});
