import { computerParameters } from '../../../client/http/address.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, many } from '../../framework/define.js';
import { parseSshWords } from '../../ssh/arguments.js';
import { computerOfHost } from '../../ssh/host.js';
import { missingSsh, publicKey } from '../../ssh/identity.js';
import { DEFAULT_USER, HOST_SUFFIX, quotedValue, sshOptions } from '../../ssh/options.js';
import {
  computerAddress,
  describeAddress,
  inCommands,
  isComputerId,
} from '../../targets/computer-address.js';
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
    const { options, user, users, host, command, needsNoHost } = parseSshWords(words);
    for (const name of users) refuseOddUser(name);
    if (host === undefined && needsNoHost) return ssh(context, options);
    if (host === '') throw new UsageError("missing the computer after '@'", 'write USER@COMPUTER');
    const named = host && (computerOfHost(host) ?? host);
    const { id } = await runningComputer(context, await namedOrOnly(context, named));
    if (!isComputerId(id)) throw new CliError('the service answered an id that is none');
    await publicKey(context);
    const { ProxyCommand = '', ForwardAgent, ForwardX11, ...more } = sshOptions(context);
    return ssh(context, [
      // ssh reads the rest of this one as it is.
      `-oProxyCommand=${ProxyCommand}`,
      ...Object.entries(more).map(([name, value]) => `-o${name}=${quotedValue(value)}`),
      ...options,
      // Those before win.
      `-oForwardAgent=${ForwardAgent}`,
      `-oForwardX11=${ForwardX11}`,
      // Unlike a name, an id is no other computer's, so ssh never shares the wrong connection.
      `${user === undefined ? '' : `${user}@`}${id}${HOST_SUFFIX}`,
      // ssh uses the first user that it is given.
      `-oUser=${DEFAULT_USER}`,
      ...(command.length === 0 ? [] : ['--', ...command]),
    ]);
  },
});

/** The name gets into a command for a shell. */
function refuseOddUser(name: string): void {
  if (/^[\w.@-]+\$?$/.test(name)) return;
  throw new UsageError(`USER: ${JSON.stringify(name)} is no name of a user`);
}

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
