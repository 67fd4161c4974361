import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, PassThrough } from 'node:stream';
import ssh2, { type ServerChannel, type SFTPWrapper } from 'ssh2';
import { generateKeyPair } from '../../../src/shell/keys.js';
import { openShell } from '../../../src/shell/shell.js';
import type { DirectWay, Shell } from '../../../src/shell/types.js';

export interface Guest {
  readonly shell: Shell;
  /** The stream's two ends; destroying either simulates a lost connection. */
  readonly stream: Duplex;
  /** The guest's end. */
  readonly wire: Duplex;
  close(): void;
}

interface GuestOptions {
  onConnection?(client: ssh2.Connection): void;
  /** Called before the login. */
  onLogin?(client: ssh2.Connection): void;
  /** Answers a command in place of bash. */
  onExec?(channel: ServerChannel): void;
  /** Answers the bytes of a file transfer session, in place of `onFiles`. */
  onSubsystem?(channel: ServerChannel): void;
  /** Answers file requests; without it there is no file transfer. */
  onFiles?(sftp: SFTPWrapper): void;
  /** A shorter way to the guest's programs. */
  readonly direct?: DirectWay;
  /** Variables of the computer. */
  readonly env?: () => Readonly<Record<string, string>>;
}

const keys = generateKeyPair();
const hostKeys = generateKeyPair();

/**
 * An SSH server in this process that runs commands on this machine as sshd does: with bash, each in
 * its own session, reporting the exit at once and closing the channel when the output is closed.
 */
export async function openGuest({
  onConnection,
  onLogin,
  onExec,
  onFiles,
  onSubsystem,
  direct,
  env,
}: GuestOptions = {}): Promise<Guest> {
  const [ours, theirs] = duplexPair();
  const home = mkdtempSync(join(tmpdir(), 'vc-guest-'));
  const server = new ssh2.Server({ hostKeys: [hostKeys.privateKey] }, (client) => {
    client.on('error', () => undefined);
    onLogin?.(client);
    client.on('ready', () => onConnection?.(client));
    // As sshd, which reads what programs have printed before it replies.
    if (!onConnection) client.on('request', (_accept, reject) => setImmediate(() => reject?.()));
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => {
      let pid: number | undefined;
      const session = accept();
      session.on('signal', (_accept, _reject, { name }) => {
        if (pid) process.kill(-pid, `SIG${name}`);
      });
      session.on('exec', (acceptExec, _reject, { command }) => {
        if (onExec) onExec(acceptExec());
        else pid = runCommand(acceptExec(), command, home);
      });
      if (onSubsystem) session.on('subsystem', (accepted) => onSubsystem(accepted()));
      else
        session.on('sftp', (acceptFiles, rejectFiles) => {
          if (onFiles) onFiles(acceptFiles());
          else rejectFiles();
        });
    });
  });
  server.injectSocket(theirs as never);
  const options = { user: 'user', privateKey: keys.privateKey, direct, ...(env && { env }) };
  const shell = await openShell(ours, options);
  return {
    shell,
    stream: ours,
    wire: theirs,
    close: () => {
      shell.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** sshd uses pipes for a command, Node uses sockets, which cannot be opened by name. */
const PIPED = 'exec < <(exec cat 2>/dev/null); exec bash -c "$1"';

function runCommand(channel: ServerChannel, command: string, home: string): number | undefined {
  const child = spawn('bash', ['-c', PIPED, 'bash', command], {
    detached: true,
    env: { ...process.env, HOME: home },
  });
  channel.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('exit', (code, signal) => {
    // Buffered output is sent first, as by sshd.
    setImmediate(() => {
      if (signal) channel.exit(signal.slice(3), false, '');
      else channel.exit(code ?? 0);
    });
  });
  child.on('close', () => setImmediate(() => channel.close()));
  return child.pid;
}

/** Two connected streams. */
export function duplexPair(): [Duplex, Duplex] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [
    Duplex.from({ readable: back, writable: there }),
    Duplex.from({ readable: there, writable: back }),
  ];
}
