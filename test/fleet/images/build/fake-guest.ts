import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Shell, SpawnInput } from '../../../../src/shell/types.js';
import { fakeConnectors } from '../../../support/fake-connectors.js';

/** What computers of builds were given, and how their programs end. */
export class FakeGuest {
  /** The programs as root's shell gets them. */
  readonly programs: string[] = [];
  /** Command lines of processes, which programs of the computer and its logs can show. */
  readonly commandLines: string[] = [];
  readonly inputs: Buffer[] = [];
  hasSudo = true;
  /** Programs with this text wait until they are ended. */
  hangsOn = 'sleep infinity';
  readonly hanging = new PassThrough();

  readonly connectors = {
    ...fakeConnectors(),
    openShell: async () => this.#shell(),
  };

  async #shell(): Promise<Shell> {
    const shell = await fakeConnectors().openShell(new PassThrough(), { privateKey: '' } as never);
    return Object.create(shell, {
      spawn: { value: (input: SpawnInput, signal?: AbortSignal) => this.#spawn(input, signal) },
      run: {
        value: async ({ command }: { command: string }) => ({
          ...{ stdout: '', stderr: '', timedOut: false, truncated: false },
          exitCode: command.startsWith('sudo') && !this.hasSudo ? 1 : 0,
        }),
      },
    });
  }

  async #spawn(input: SpawnInput, signal?: AbortSignal) {
    const words = 'argv' in input ? input.argv : [];
    this.commandLines.push(words.join(' '));
    const length = Number(/head -c (\d+)/.exec(words.join(' '))?.[1]);
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const run = async () => {
      const all = await buffer(stdin);
      const program = all.subarray(0, length).toString().split('\ncode=$?')[0] ?? '';
      this.programs.push(program);
      this.inputs.push(all.subarray(length));
      if (program.includes(this.hangsOn)) {
        this.hanging.write('x');
        await once(signal ?? new EventTarget(), 'abort');
      }
      if (program.includes('echo ')) stdout.write('hello\n');
      if (program.includes('group=')) stdout.write('1000 1000\n');
      stdout.end();
      stderr.end();
      return { code: program.includes('exit 3') ? 3 : 0, signal: null };
    };
    const nothing = async () => undefined;
    return { stdin, stdout, stderr, exit: run(), end: nothing, resize: () => {}, kill: nothing };
  }
}

/** Entries of a context: text by path. */
export type Files = Readonly<Record<string, string>>;
