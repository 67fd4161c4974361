import { defineCommand, many } from '../../framework/define.js';
import { runningComputer } from '../../targets/computers.js';
import { EXIT_CODES, processOptions, runAttached } from '../../targets/processes.js';

export const command = defineCommand({
  name: 'exec',
  summary: 'Run a program with stdin and output attached',
  details: [
    'Runs the program without a shell. Put -- before the program. Output is streamed and stdin is',
    `forwarded. Returns the exit code of the program, ${EXIT_CODES}. Ctrl-C interrupts the program.`,
  ].join(' '),
  runsProgram: true,
  arguments: { computer: runningComputer, argv: many('command', 'program and arguments') },
  options: processOptions,
  examples: [
    { does: 'Run a program', command: 'vc exec demo/desktop -- uname -a' },
    {
      does: 'Copy a directory from the computer',
      command: 'vc exec demo/desktop -- tar c -C /home/user . > home.tar',
    },
    {
      does: 'Use a variable of the guest',
      command: "vc exec demo/desktop -- sh -c 'echo $HOME'",
    },
  ],
  run: (context, { computer, argv }, options) =>
    runAttached(context, computer, { ...options, argv: [...argv] }),
});
