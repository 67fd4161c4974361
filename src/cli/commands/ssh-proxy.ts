import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { type NodeProcess, openNodeProcess } from '../../client/node/process.js';
import { writeFileAtomically } from '../../lib/fs/atomic-file.js';
import { makeDirectory } from '../../lib/fs/directory.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { ExitCode, processExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { argument, defineCommand } from '../framework/define.js';
import { text } from '../input/parse.js';
import { computerOfHost, HOSTS } from '../ssh/host.js';
import { publicKey } from '../ssh/identity.js';
import { knownHostsPath, sshDirectory } from '../ssh/options.js';
import { parseGreeting, SERVE_SSH } from '../ssh/server.js';
import { computerAddress } from '../targets/computer-address.js';
import { forwardInput, forwardOutputs } from '../terminal/process-io.js';

/** Largest first line of the computer. */
const LONGEST = 1024;

export const command = defineCommand({
  name: 'ssh-proxy',
  summary: 'Connect ssh with the SSH server of a computer',
  details: 'The ProxyCommand of vc ssh and vc ssh-config.',
  hidden: true,
  arguments: {
    host: argument('host', HOSTS, text),
    user: argument('user', 'the user that ssh logs in as', text),
  },
  options: {},
  examples: [],
  async run(context, { host, user }) {
    const computer = computerOfHost(host);
    if (computer === undefined) {
      throw new UsageError(`HOST: ${JSON.stringify(host)} names no computer`, `write ${HOSTS}`);
    }
    const key = await publicKey(context);
    const left = new AbortController();
    // Ctrl-C is for ssh, which hangs up when it ends.
    const release = context.interrupts.capture((signal) => {
      if (signal !== 'SIGINT') left.abort();
    });
    try {
      const remote = await openNodeProcess(
        await context.client(),
        await computerAddress(context, computer),
        { argv: ['sh', '-c', SERVE_SSH, 'sh', key], signal: left.signal },
      );
      return await connect(context, remote, (line) => {
        const { user: own, hostKey } = greetingOf(line);
        if (own !== user) {
          throw new CliError(`the user of this computer is ${own}, not ${user}`, {
            remedy: `write ${own}@ before the computer`,
          });
        }
        return writeHostKey(knownHostsPath(sshDirectory(context), host), hostKey);
      });
    } catch (error) {
      if (left.signal.aborted) return ExitCode.interrupted;
      throw error;
    } finally {
      release();
    }
  },
});

function greetingOf(line: string) {
  const greeting = parseGreeting(line);
  if (greeting !== undefined) return greeting;
  throw new CliError('the computer started no SSH server', {
    remedy: 'it needs OpenSSH; without it: vc shell, vc exec and vc cp',
  });
}

/** Any host name, because ssh adds a port that is not the usual one. */
async function writeHostKey(path: string, key: string): Promise<void> {
  const directory = dirname(path);
  makeDirectory(directory);
  await removeOld(directory);
  await writeFileAtomically(path, Buffer.from(`* ${key}\n`), { mode: 0o600 });
}

/** ssh reads the file of a host once, at the beginning of a connection. */
async function removeOld(directory: string): Promise<void> {
  const before = Date.now() - 24 * 60 * 60_000;
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < before) await rm(path, { force: true });
  }
}

/** Joins the streams byte for byte, after the first line of output has been processed. */
async function connect(
  context: Context,
  remote: NodeProcess,
  onGreeting: (line: string) => Promise<void>,
): Promise<number> {
  let start: Buffer | undefined = Buffer.alloc(0);
  const afterGreeting = async (chunk: Buffer): Promise<Buffer> => {
    if (start === undefined) return chunk;
    start = Buffer.concat([start, chunk]);
    const end = start.indexOf('\n');
    if (end < 0 && start.length <= LONGEST) return Buffer.alloc(0);
    const rest = start.subarray(end + 1);
    await onGreeting(start.toString('utf8', 0, Math.max(end, 0)));
    start = undefined;
    return rest;
  };
  const stdout = new Transform({
    transform: (chunk: Buffer, _, done) => {
      afterGreeting(chunk).then((bytes) => done(null, bytes), done);
    },
  });
  let refused: Error | undefined;
  stdout.once('error', (error) => {
    refused = error;
    remote.close();
  });
  forwardInput(context.io.stdin, remote);
  const joined = { ...remote, stdout: remote.stdout.pipe(stdout) };
  const exit = await forwardOutputs(context, joined, { safe: true }).catch((error: unknown) => {
    throw refused ?? error;
  });
  if (refused !== undefined) throw refused;
  if (start !== undefined) greetingOf(start.toString());
  return processExitCode(exit);
}
