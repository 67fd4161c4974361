import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { execa, type Options } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { onDockerFirst } from '../../support/run/tiers.js';
import { freePort } from '../../support/screen/ingest.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';
import { VC } from '../../support/service/service.js';

/** OpenSSH and what is built on it, on a real computer. */
let desktop: Desktop;
let directory: string;
let config: string;
/** `desktop.PROJECT.vc`. */
let host: string;

beforeAll(async () => {
  desktop = await openDesktop();
  directory = desktop.service.directory;
  host = `desktop.${desktop.project}.vc`;
  config = join(directory, '.ssh/config');
  mkdirSync(join(directory, '.ssh'));
  // A user's own settings are not in the way.
  writeFileSync(config, 'Host *\n  User somebody\n  StrictHostKeyChecking no\n');
  expect(await desktop.service.cli(['ssh-config'])).toMatchObject({ code: 0, stdout: '' });
  const text = readFileSync(join(directory, '.ssh/vc_config'), 'utf8');
  expect(text).not.toContain(desktop.service.apiKey);
});
afterAll(() => desktop.close());

/** A name for a key; a test that is run again makes another one. */
const keyName = () => `ssh-${randomBytes(4).toString('hex')}`;

/** Runs a program with the environment of `vc`; never throws for an exit code. */
async function run(program: string, args: readonly string[], options: Options = {}) {
  const env = { ...desktop.service.env, ...options.env };
  const outcome = await execa(program, args, {
    ...{ extendEnv: false, reject: false, stripFinalNewline: false, timeout: 60_000 },
    ...{ cwd: directory, input: '', ...options, env },
  });
  const { exitCode: code, stdout, stderr } = outcome;
  return { code, stdout: String(stdout), stderr: String(stderr) };
}

/** `ssh` with the file that `vc ssh-config` has written; ssh finds its own without $HOME. */
const ssh = (args: readonly string[], options?: Options) =>
  run('ssh', ['-F', config, ...args], options);

/** Starts ssh and ends it after the work. */
async function during(args: readonly string[], work: () => Promise<void>) {
  const env = desktop.service.env;
  const child = execa('ssh', ['-F', config, ...args], {
    ...{ env, extendEnv: false, cwd: directory, stdin: 'ignore', reject: false },
  });
  try {
    await work();
  } finally {
    child.kill();
    await child;
  }
}

it('vc ssh runs a command in the environment of the desktop, and returns its exit code', async () => {
  await desktop.computer.update({ env: { QUOTES: `a "b" 'c' \\d` } });
  const script = 'cat; echo "$DISPLAY|$QUOTES"; echo error >&2; exit 7';
  const outcome = await desktop.service.cli(['ssh', '-q', desktop.name, script], { input: 'in ' });
  expect(outcome).toMatchObject({
    ...{ code: 7, stdout: `in :0|a "b" 'c' \\d\n`, stderr: 'error\n' },
  });
});

it('ssh has a terminal, and takes a long script on standard input', async () => {
  const terminal = await ssh(['-tt', host, 'test -t 0 && tty; id -un; exit 3']);
  expect(terminal).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^\/dev\/pts\/\d+\r\nuser\r\n$/),
  });
  // As the extensions of editors start their servers.
  const script = `${'# a long comment\n'.repeat(20_000)}echo done; exit 5\n`;
  expect(await ssh(['-T', host, 'bash', '-s'], { input: script })).toMatchObject({
    ...{ code: 5, stdout: 'done\n' },
  });
});

onDockerFirst('scp, sftp and rsync copy files', async () => {
  const text = 'x'.repeat(3_000_000);
  writeFileSync(join(directory, 'there.txt'), text);
  expect(await run('scp', ['-F', config, 'there.txt', `${host}:`])).toMatchObject({ code: 0 });
  expect(await desktop.run('wc -c <there.txt')).toBe(`${text.length}\n`);
  const batch = 'get there.txt back.txt\nput back.txt again.txt\n';
  const sftp = ['-F', config, '-b', '-', host];
  expect(await run('sftp', sftp, { input: batch })).toMatchObject({ code: 0 });
  expect(readFileSync(join(directory, 'back.txt'), 'utf8') === text).toBe(true);
  mkdirSync(join(directory, 'tree'));
  writeFileSync(join(directory, 'tree/a b.txt'), 'in a tree');
  const shell = `node ${VC} ssh`;
  const copied = await run('rsync', ['-a', '-e', shell, 'tree/', `${host}:tree`]);
  expect(copied).toMatchObject({ code: 0 });
  expect(await desktop.run('cat "tree/a b.txt"; wc -c <again.txt')).toBe(
    `in a tree${text.length}\n`,
  );
});

onDockerFirst(
  'an editor starts its server over ssh, and reaches it through the same connection',
  async () => {
    // What the remote extension of VS Code does: a script on the input of `ssh -T -D PORT HOST bash`
    // prints where a server on the loopback interface listens, and the proxy connects to it.
    const proxy = await freePort();
    const script = `uname -rsv; echo "$SHELL"; mkdir -p ~/.editor-server && cd ~/.editor-server || exit 1
exec 9>lock && flock 9
echo running >version; command -v curl wget tar python3 >/dev/null || exit 1
setsid python3 -u -m http.server 0 --bind 127.0.0.1 9>&- </dev/null >log 2>&1 & echo $! >pid
until port=$(sed -n 's/.* port \\([0-9]*\\) .*/\\1/p' log) && [ "$port" ]; do sleep 0.1; done
echo "listeningOn==$port=="; cat`;
    const child = execa('ssh', ['-F', config, '-T', '-D', `${proxy}`, host, 'bash'], {
      ...{ env: desktop.service.env, extendEnv: false, cwd: directory, reject: false },
    });
    try {
      child.stdin.write(`${script}\n`);
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
      const port = await eventually(async () => /listeningOn==(\d+)==/.exec(printed)?.[1], 60_000);
      expect(printed).toMatch(/^Linux \S+ .*\n\/bin\/bash\n/);
      const url = `http://127.0.0.1:${port}/version`;
      const through = ['-sS', '--socks5-hostname', `127.0.0.1:${proxy}`, url];
      expect(await run('curl', through)).toMatchObject({ code: 0, stdout: 'running\n' });
      // The server outlives the connection, which is made again after a sleep of the machine.
      child.kill();
      await child;
      expect((await ssh([host, 'kill -0 $(cat .editor-server/pid) && echo alive'])).stdout).toBe(
        'alive\n',
      );
    } finally {
      child.kill();
      await child;
      await desktop.run('kill $(cat ~/.editor-server/pid) || true');
    }
  },
);

onDockerFirst(
  'Ansible reaches the computer',
  async () => {
    const args = ['all', '-i', `${host},`, '-m', 'ping', '--ssh-common-args', `-F ${config}`];
    const { code, stdout } = await run('ansible', args, {
      env: { HOME: directory, ANSIBLE_LOCAL_TEMP: directory, ANSIBLE_NOCOLOR: '1' },
      timeout: 300_000,
    });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"ping": "pong"'),
    });
  },
  320_000,
);

onDockerFirst('git pushes to a repository in the computer', async () => {
  await desktop.run('git init -q --bare repo');
  const work = join(directory, 'work');
  execFileSync('git', ['init', '-q', '-b', 'main', work]);
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const git = async (command: string, args: readonly string[]) => {
    const env = { GIT_SSH_COMMAND: command };
    const outcome = await run('git', [...identity, '-C', work, ...args], { env });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  };
  await git('', ['commit', '-q', '--allow-empty', '-m', 'one']);
  await git(`node ${VC} ssh`, ['push', '-q', `${host}:repo`, 'main']);
  await git('', ['commit', '-q', '--allow-empty', '-m', 'two']);
  await git(`ssh -F ${config}`, ['push', '-q', `${host}:repo`, 'main']);
  expect(await desktop.run('git -C repo log --format=%s main')).toBe('two\none\n');
});

onDockerFirst('forwards ports both ways, a SOCKS proxy and the agent', async () => {
  await desktop.run('mkdir -p www && echo hello >www/index.html');
  await desktop.computer.bash('cd www && exec python3 -m http.server 8123 --bind 127.0.0.1', {
    background: true,
  });
  await desktop.until('curl -fsS 127.0.0.1:8123 >/dev/null 2>&1');
  const [local, socks] = [await freePort(), await freePort()];
  const forwards = [
    '-L',
    `${local}:127.0.0.1:8123`,
    '-D',
    `${socks}`,
    '-R',
    `8124:127.0.0.1:${local}`,
  ];
  await during(['-N', '-o', 'ExitOnForwardFailure=yes', ...forwards, host], async () => {
    await eventually(async () => isListening(local), 60_000);
    const page = async (...args: string[]) => (await run('curl', ['-fsS', ...args])).stdout;
    expect(await page(`http://127.0.0.1:${local}`)).toBe('hello\n');
    const proxy = `socks5h://127.0.0.1:${socks}`;
    expect(await page('--proxy', proxy, '--noproxy', '', 'http://127.0.0.1:8123')).toBe('hello\n');
    // From the computer to this machine, and through the first forwarding back.
    await desktop.until('curl -fsS 127.0.0.1:8124 | grep -q hello');
  });
  const reverse = await ssh(['-R', `8125:127.0.0.1:${local}`, host, 'echo forwarded']);
  expect(reverse).toMatchObject({ code: 0, stdout: 'forwarded\n', stderr: '' });
  const key = join(directory, 'agent-key');
  execFileSync('ssh-keygen', [
    '-q',
    '-t',
    'ed25519',
    '-N',
    '',
    '-C',
    'agent@example.com',
    '-f',
    key,
  ]);
  const command = `ssh-add -q ${key} && exec ssh -F ${config} -A ${host} ssh-add -l`;
  const listed = await run('ssh-agent', ['sh', '-c', command]);
  expect(listed.stdout).toContain('agent@example.com');
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

onDockerFirst('several sessions share one connection', async () => {
  const shared = ['-o', `ControlPath=${join(directory, 'control')}`];
  const start = await ssh(['-fN', '-M', '-o', 'ControlPersist=yes', ...shared, host], {
    ...{ input: undefined, stdio: 'ignore' },
  });
  expect(start).toMatchObject({ code: 0 });
  // A second connection would fail.
  const noOther = ['-o', 'ProxyCommand=false', ...shared];
  const all = await Promise.all(
    [1, 2, 3].map((n) => ssh([...noOther, host, `echo ${n}; exit ${n}`])),
  );
  expect(all.map(({ code, stdout }) => [code, stdout])).toEqual([
    [1, '1\n'],
    [2, '2\n'],
    [3, '3\n'],
  ]);
  expect(await ssh([...noOther, '-O', 'exit', host])).toMatchObject({ code: 0 });
});

it('a host key that changes is no alarm, and a wrong one is refused', async () => {
  const key = '/var/lib/vc/ssh_host_ed25519_key';
  await desktop.run(`rm ${key}*; ssh-keygen -q -t ed25519 -N '' -f ${key}`);
  expect(await ssh([host, 'echo new'])).toMatchObject({ code: 0, stdout: 'new\n', stderr: '' });
  // The computer reports another key than that of its server.
  const program = '/usr/local/bin/ssh-keygen';
  await desktop.run(`ssh-keygen -q -t ed25519 -N '' -f wrong`);
  const script = `#!/bin/sh\\nexec cat /home/user/wrong.pub\\n`;
  await desktop.run(`printf '${script}' | sudo tee ${program} && sudo chmod +x ${program}`);
  const refused = await ssh([host, 'echo connected']);
  expect(refused).toMatchObject({ code: 255, stdout: '' });
  expect(refused.stderr).toContain('Host key verification failed');
  await desktop.run(`sudo rm ${program}`);
});

it('says why it cannot connect', async () => {
  const other = await ssh([`root@${host}`, 'id']);
  expect(other).toMatchObject({ code: 255, stdout: '' });
  expect(other.stderr).toContain('the user of this computer is user, not root');
  const none = await ssh([`none.${desktop.project}.vc`, 'id']);
  expect(none.stderr).toMatch(/^error: There is no computer/);
  const looking = await desktop.service.vc.keys.create({ name: keyName(), rights: 'look' });
  const env = { VC_API_KEY: looking.key };
  const outcome = await ssh([host, 'id'], { env });
  expect(outcome).toMatchObject({ code: 255, stdout: '' });
  expect(outcome.stderr).toMatch(/^error: .*the right "act"/);
});

it('a key that is revoked ends its connections', async () => {
  const acting = await desktop.service.vc.keys.create({ name: keyName(), rights: 'act' });
  const env = { VC_API_KEY: acting.key };
  const ended = ssh([host, 'touch connected; exec sleep 600'], { env });
  await desktop.until('test -e connected');
  await desktop.service.vc.keys.delete(acting.id);
  const { code, stderr } = await ended;
  expect(code).toBe(255);
  expect(stderr).toMatch(/^error: /);
});

it('a computer that is stopped is an error with a remedy', async () => {
  await desktop.computer.stop();
  const remedy = `vc start ${desktop.name}`;
  const direct = await desktop.service.cli(['ssh', desktop.name, 'id']);
  expect(direct).toMatchObject({ code: 125, stdout: '', stderr: expect.stringContaining(remedy) });
  const outcome = await ssh([host, 'id']);
  expect(outcome).toMatchObject({ code: 255, stdout: '' });
  expect(outcome.stderr).toMatch(/^error: .*stopped.*\n.*vc start/);
});
