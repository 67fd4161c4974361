import { shellWord } from '../../../lib/text/shell-word.js';
import { UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, many } from '../../framework/define.js';
import { note } from '../../output/print.js';
import { inCommands } from '../../targets/computer-address.js';
import { programComputer } from '../../targets/computers.js';
import {
  EXIT_CODES,
  IN_BACKGROUND,
  processOptions,
  programLabel,
  programTarget,
  runAttached,
  runOnEach,
} from '../../targets/processes.js';

export const command = defineCommand({
  name: 'exec',
  summary: 'Run a program with stdin and output attached',
  details: [
    'Runs the program without a shell; for pipes, variables and built-ins of a shell: vc bash. All',
    'words after the program are its own: write options of vc before it. Output is streamed and stdin',
    `is forwarded. Returns the exit code of the program, ${EXIT_CODES}. Ctrl-C interrupts the program. ${IN_BACKGROUND}`,
  ].join(' '),
  runsProgram: true,
  arguments: {
    computer: programComputer,
    argv: many('command', 'program and arguments', { required: false }),
  },
  options: { ...processOptions, label: programLabel },
  examples: [
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
  async run(context, args, { label, ...options }) {
    const { computer, words: argv } = programTarget(args.computer, args.argv, label);
    if (argv.length === 0) throw new UsageError("missing required argument 'command'");
    if (/^(-l|--label)($|.*=)/.test(argv[0] ?? '')) {
      const remedy = 'for example: vc exec -l team=qa -- uptime';
      throw new UsageError('give either a computer or --label', remedy);
    }
    if (argv[0]?.startsWith('-')) {
      const remedy = 'Options of the program come after it: vc exec COMPUTER ls -la.';
      throw new UsageError(`unknown option '${argv[0]}'`, remedy);
    }
    if (label.length > 0) return runOnEach(context, label, { ...options, argv: [...argv] });
    const code = await runAttached(context, computer, { ...options, argv: [...argv] });
    if (code === ExitCode.noProgram) await hint(context, computer, argv);
    return code;
  },
});

/** Programs whose own 127 is about a word of a script. */
const SHELLS = /(^|\/)(ba|da|z|fi|k)?sh$|(^|\/)(env|sudo|timeout|nice|nohup|xargs|time)$/;

/** For those who expect a shell, as `ssh` has it. */
async function hint(context: Context, computer: string, argv: readonly string[]): Promise<void> {
  const [program = ''] = argv;
  if (SHELLS.test(program)) return;
  const script = argv.length === 1 ? program : argv.map(shellWord).join(' ');
  const bash = `vc bash ${inCommands(context, computer)} ${shellWord(script)}`;
  const isScript = argv.length === 1 && /[\s|&;<>$]/.test(program);
  const problem = isScript
    ? `there is no program named ${JSON.stringify(program)}`
    : 'no such program';
  await note(context, `${problem}; exec runs a program without a shell. With a shell: ${bash}`);
}
