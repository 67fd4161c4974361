import { computerParameters } from '../../../client/http/address.js';
import { openNodeProcess } from '../../../client/node/process.js';
import { shellWord } from '../../../lib/text/shell-word.js';
import { UsageError } from '../../errors/cli-error.js';
import { ExitCode, processExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, many } from '../../framework/define.js';
import { note } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { computerAddress, inCommands } from '../../targets/computer-address.js';
import { programComputer } from '../../targets/computers.js';
import { programSelection, programTarget, runOnEach, SIDE_BY_SIDE } from '../../targets/on-each.js';
import {
  type Attached,
  EXIT_CODES,
  IN_BACKGROUND,
  processOptions,
  runAttached,
  timedOut,
} from '../../targets/processes.js';
import {
  attachTerminal,
  refuseBackground,
  terminalVariable,
  withKnownTerminal,
} from '../../terminal/attach.js';
import { terminalSize } from '../../terminal/raw-terminal.js';

export const command = defineCommand({
  name: 'exec',
  summary: 'Run a program with stdin and output attached',
  details: [
    'Runs the program without a shell; for pipes, variables and built-ins of a shell: vc bash. All',
    'words after the program are its own: write options of vc before it. Output is streamed and stdin',
    `is forwarded. Returns the exit code of the program, ${EXIT_CODES}. Ctrl-C interrupts the program. ${SIDE_BY_SIDE}`,
    IN_BACKGROUND,
  ].join(' '),
  runsProgram: true,
  arguments: {
    computer: programComputer,
    argv: many('command', 'program and arguments', { required: false }),
  },
  options: {
    ...processOptions,
    interactive: flag('-i, --interactive', 'no effect: stdin is forwarded'),
    tty: flag('-t, --tty', 'give the program this terminal; to disconnect, type Enter ~ .'),
    ...programSelection,
  },
  examples: [
    { does: 'Run a program in this terminal', command: 'vc exec -it demo/desktop top' },
    { does: 'Run a program', command: 'vc exec demo/desktop -- uname -a' },
    {
      does: 'Copy a directory from the computer',
      command: 'vc exec demo/desktop -- tar c -C /home/user Documents > documents.tar',
    },
    {
      does: 'Run a program in all running computers with a label',
      command: 'vc exec -l team=qa -- uptime',
    },
    {
      does: 'Use a variable of the guest',
      command: "vc exec demo/desktop -- sh -c 'echo $HOME'",
    },
  ],
  async run(context, args, { label, all, interactive: _, tty, ...options }) {
    const selection = { label, all };
    const { computer, words: argv, selects } = programTarget(args.computer, args.argv, selection);
    if (argv.length === 0) throw new UsageError("missing required argument 'command'");
    if (/^(-l|--label)($|.*=)|^--all$/.test(argv[0] ?? '')) {
      const remedy = 'for example: vc exec -l team=qa -- uptime';
      throw new UsageError('give either a computer, --label or --all', remedy);
    }
    if (argv[0]?.startsWith('-')) {
      const remedy = 'Options of the program come after it: vc exec COMPUTER ls -la.';
      throw new UsageError(`unknown option '${argv[0]}'`, remedy);
    }
    if (tty) return runInTerminal(context, computer, { ...options, argv, selects });
    if (selects) return runOnEach(context, selection, { ...options, argv: [...argv] });
    const code = await runAttached(context, computer, { ...options, argv: [...argv] });
    if (code === ExitCode.noProgram) await hint(context, computer, argv);
    return code;
  },
});

interface InTerminal extends Omit<Attached, 'command' | 'code' | 'argv'> {
  readonly argv: readonly string[];
  readonly selects: boolean;
}

async function runInTerminal(
  context: Context,
  computer: string,
  { argv, selects, cwd, env, timeout, safe, stdin: forwards }: InTerminal,
): Promise<number> {
  const { stdin, stdout, stderr } = context.io;
  if (selects) throw new UsageError('--tty needs one computer');
  if (context.globals.json) throw new UsageError('--tty and --json cannot be combined');
  if (safe) throw new UsageError('--tty and --safe cannot be combined');
  if (!forwards) throw new UsageError('--tty and --no-stdin cannot be combined');
  if (!stdin.isTTY) throw new UsageError('--tty: stdin is not a terminal', 'leave out --tty');
  refuseBackground(stdin);
  const address = await computerAddress(context, computer);
  const remote = await openNodeProcess(await context.client(), address, {
    argv: withKnownTerminal('exec "$@"', argv),
    cwd,
    env: { ...Object.fromEntries(env), ...terminalVariable(context) },
    timeout,
    terminal: terminalSize(stdout.isTTY ? stdout : stderr),
    signal: context.interrupts.signal,
  });
  const exit = await attachTerminal(context, remote);
  if (exit.timedOut) throw timedOut({ timeout });
  return processExitCode(exit);
}

/** Programs whose own 127 is about a word of a script. */
const SHELLS = /(^|\/)(ba|da|z|fi|k)?sh$|(^|\/)(env|sudo|timeout|nice|nohup|xargs|time)$/;

/** Whether a word after the computer is one too: exec takes several with --label or --all only. */
async function isComputer(context: Context, word: string): Promise<boolean> {
  try {
    const params = computerParameters(await computerAddress(context, word));
    await request(context, 'getComputer', { params });
    return true;
  } catch {
    return false;
  }
}

/** For those who expect a shell, as `ssh` has it. */
async function hint(context: Context, computer: string, argv: readonly string[]): Promise<void> {
  const [program = ''] = argv;
  if (SHELLS.test(program)) return;
  if (await isComputer(context, program)) {
    const name = inCommands(context, program);
    const one = `no such program, but ${name} is a computer: exec takes one`;
    return note(context, `${one}; for several: vc exec -l LABEL=VALUE -- PROGRAM, or --all`);
  }
  const script = argv.length === 1 ? program : argv.map(shellWord).join(' ');
  const bash = `vc bash ${inCommands(context, computer)} ${shellWord(script)}`;
  const isScript = argv.length === 1 && /[\s|&;<>$]/.test(program);
  const problem = isScript
    ? `there is no program named ${JSON.stringify(program)}`
    : 'no such program';
  await note(context, `${problem}; exec runs a program without a shell. With a shell: ${bash}`);
}
