import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../support/eventually.js';

const VC = fileURLToPath(new URL('../../../../../bin/vc.js', import.meta.url));
const UNIT = fileURLToPath(new URL('../../../../../examples/systemd/vc@.service', import.meta.url));
const USERS = [40_001, 40_002] as const;

interface Tenant {
  readonly home: string;
  readonly state: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Runs a program as the user of the service. */
  run(
    ...argv: string[]
  ): Promise<{ exitCode?: number | undefined; stdout: string; stderr: string }>;
  stop(): Promise<unknown>;
}

const root = mkdtempSync(join(tmpdir(), 'vc-tenants-'));
const isRoot = process.getuid?.() === 0;
let alice: Tenant;
let bob: Tenant;
beforeAll(async () => {
  if (!isRoot) return;
  chmodSync(root, 0o755);
  [alice, bob] = await Promise.all([openTenant(USERS[0]), openTenant(USERS[1])]);
});
afterAll(async () => {
  await Promise.all([alice?.stop(), bob?.stop()]);
  rmSync(root, { recursive: true });
});

/** A service as the template unit starts it, with no engine. */
async function openTenant(uid: number): Promise<Tenant> {
  const home = join(root, `${uid}`);
  mkdirSync(home);
  chownSync(home, uid, uid);
  const mode = /^StateDirectoryMode=(.*)$/m.exec(readFileSync(UNIT, 'utf8'))?.[1] ?? '';
  chmodSync(home, Number.parseInt(mode, 8));
  const as = ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'];
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    DOCKER_HOST: 'unix:///nonexistent/docker.sock',
  };
  const options = { env, cwd: '/' };
  const argv = [...as, process.execPath, VC, 'serve', '--listen', '127.0.0.1:0'];
  const child = spawn('setpriv', argv, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const url = await eventually(async () => /listening on (\S+)/.exec(log)?.[1], 60_000);
  const { profiles } = JSON.parse(readFileSync(join(home, '.config/vc/config.json'), 'utf8'));
  return {
    home,
    state: join(home, '.local/state/vc'),
    baseUrl: url,
    apiKey: profiles.default.apiKey,
    run: (...words) =>
      execa('setpriv', [...as, ...words], { ...options, extendEnv: false, reject: false }),
    stop: () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const vc = (tenant: Tenant, ...words: string[]) => tenant.run(process.execPath, VC, ...words);

test.runIf(isRoot)('services of two users keep their data apart', async () => {
  expect((await vc(alice, 'project', 'create', 'shop')).exitCode).toBe(0);
  expect((await vc(alice, 'project', 'ls', '-q')).stdout).not.toBe('');
  expect((await vc(bob, 'project', 'ls', '-q')).stdout).toBe('');
  const headers = { authorization: `Bearer ${alice.apiKey}` };
  expect((await fetch(`${alice.baseUrl}/projects`, { headers })).status).toBe(200);
  expect((await fetch(`${bob.baseUrl}/projects`, { headers })).status).toBe(401);
});

test.runIf(isRoot)('neither user can read the files of the other, or use its socket', async () => {
  const connecting = (path: string) =>
    `require('net').connect(${JSON.stringify(path)}).on('connect', () => process.exit(0))`;
  for (const [one, other] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    const files = ['vc.db', 'service.json', 'service.sock'].map((name) => join(other.state, name));
    for (const path of [...files, join(other.home, '.config/vc/config.json')]) {
      expect((await other.run('test', '-r', path)).exitCode, path).toBe(0);
      expect((await one.run('test', '-r', path)).exitCode, path).toBe(1);
    }
    const socket = connecting(join(other.state, 'service.sock'));
    expect((await other.run(process.execPath, '-e', socket)).exitCode).toBe(0);
    const refused = await one.run(process.execPath, '-e', socket);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain('EACCES');
  }
});
