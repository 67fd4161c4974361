import { computerParameters } from '../../../client/http/address.js';
import { UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, many } from '../../framework/define.js';
import { parseSshWords } from '../../ssh/arguments.js';
import { computerOfHost } from '../../ssh/host.js';
import { missingSsh, publicKey } from '../../ssh/identity.js';
import { DEFAULT_USER, HOST_SUFFIX, sshOptions } from '../../ssh/options.js';
import { computerAddress, describeAddress, inCommands } from '../../targets/computer-address.js';
import { namedOrOnly, optionalRunningComputer } from '../../targets/computers.js';
import { refuseStopped } from '../../targets/stopped.js';
import { runLocally } from '../../terminal/run-locally.js';

export const command = defineCommand({
  name: 'ssh',
  summary: 'Run ssh with a computer as the host',
  details: [
    "Runs this machine's ssh, which connects through the service: no port of the computer is open.",
    'Takes the options of ssh before and after the computer; those of vc, in their long form, stand',
    "directly after `vc ssh`. Other programs can call it as their ssh: rsync -e 'vc ssh',",
    "GIT_SSH_COMMAND='vc ssh'. They take no host with a slash: write NAME.PROJECT.vc. Returns the exit",
    'code of ssh, or 125 if vc itself fails. To use ssh, scp and editors directly: vc ssh-config.',
    'Without ssh on this machine: vc shell.',
  ].join(' '),
  runsProgram: true,
  ownWords: true,
  arguments: {
    computer: optionalRunningComputer,
    command: many('command', 'command for the shell of the computer', { required: false }),
  },
  options: {},
  examples: [
    { does: 'Open a shell', command: 'vc ssh demo/desktop' },
    { does: 'Run a command', command: 'vc ssh demo/desktop uptime' },
    {
      does: 'Forward port 8080 of this machine, and your SSH agent',
      command: 'vc ssh -A -L 8080:localhost:80 demo/desktop',
    },
  ],
  async run(context, { computer, command: others }) {
    const words = computer === undefined ? [] : [computer, ...others];
    const { options, user, host, command, needsNoHost } = parseSshWords(words);
    if (host === undefined && needsNoHost) return ssh(context, options);
    if (host === '') throw new UsageError("missing the computer after '@'", 'write USER@COMPUTER');
    const named = host && (computerOfHost(host) ?? host);
    const { id } = await runningComputer(context, await namedOrOnly(context, named));
    await publicKey(context);
    return ssh(context, [
      ...Object.entries(sshOptions(context)).map(([name, value]) => `-o${name}=${value}`),
      ...options,
      // Unlike a name, an id is no other computer's, so ssh never shares the wrong connection.
      `${user === undefined ? '' : `${user}@`}${id}${HOST_SUFFIX}`,
      // ssh uses the first user that it is given.
      `-oUser=${DEFAULT_USER}`,
      ...(command.length === 0 ? [] : ['--', ...command]),
    ]);
  },
});

/** Rejects if it does not run, before ssh is started. */
async function runningComputer(context: Context, text: string) {
  const address = await computerAddress(context, text);
  const client = await context.client();
  const { signal } = context.interrupts;
  const params = computerParameters(address);
  const computer = await client.request('getComputer', { params, signal });
  refuseStopped(computer.status, describeAddress(address), inCommands(context, text));
  return computer;
}

async function ssh(context: Context, args: readonly string[]): Promise<number> {
  return runLocally(context, ['ssh', ...args]).catch((cause: unknown) => {
    throw (cause as NodeJS.ErrnoException).code === 'ENOENT' ? missingSsh('ssh', cause) : cause;
  });
}
