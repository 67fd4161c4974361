import { spawn } from 'node:child_process';
import { Duplex, PassThrough } from 'node:stream';
import ssh2, { type ServerChannel } from 'ssh2';
import { generateKeyPair, openShell } from '../../../src/shell/index.js';
import type { Shell } from '../../../src/shell/types.js';

export interface Guest {
  readonly shell: Shell;
  /** The stream's two ends; destroying either is a lost connection. */
  readonly stream: Duplex;
  close(): void;
}

const keys = generateKeyPair();
const hostKeys = generateKeyPair();

/**
 * An SSH server in this process that runs commands on this machine as sshd does: with bash, in a
 * session of their own, telling the exit at once and closing the channel when the output is closed.
 */
export async function openGuest(): Promise<Guest> {
  const [ours, theirs] = duplexPair();
  const server = new ssh2.Server({ hostKeys: [hostKeys.privateKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => {
      let pid: number | undefined;
      const session = accept();
      session.on('signal', (_accept, _reject, { name }) => {
        if (pid) process.kill(-pid, `SIG${name}`);
      });
      session.on('exec', (acceptExec, _reject, { command }) => {
        pid = runCommand(acceptExec(), command);
      });
    });
  });
  server.injectSocket(theirs as never);
  const shell = await openShell(ours, { user: 'user', privateKey: keys.privateKey });
  return { shell, stream: ours, close: () => shell.close() };
}

/** sshd gives a command pipes, Node gives it sockets, which cannot be opened by name. */
const PIPED = 'exec < <(exec cat 2>/dev/null); exec bash -c "$1"';

function runCommand(channel: ServerChannel, command: string): number | undefined {
  const child = spawn('bash', ['-c', PIPED, 'bash', command], { detached: true });
  channel.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('exit', (code, signal) => {
    // What the pipes still hold goes out first, as with sshd.
    setImmediate(() => {
      if (signal) channel.exit(signal.slice(3), false, '');
      else channel.exit(code ?? 0);
    });
  });
  child.on('close', () => setImmediate(() => channel.close()));
  return child.pid;
}

/** Two streams, each reading what is written to the other. */
export function duplexPair(): [Duplex, Duplex] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [
    Duplex.from({ readable: back, writable: there }),
    Duplex.from({ readable: there, writable: back }),
  ];
}
