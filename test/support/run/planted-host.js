/**
 * Runs a command on a planted host: `node planted-host.js COMMAND ARGUMENT…`.
 *
 * The command sees a home directory with a profile, invalid `VC_*` variables, a Docker Engine's
 * socket in DOCKER_HOST, and port 4700 in use. Every use of the socket or the port is recorded in a
 * file that the reporter reads: a test that uses the host fails the run.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const DEFAULT_PORT = 4700;

const [program, ...args] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'vc-host-'));
const home = join(directory, 'home');
const socket = join(directory, 'docker.sock');
const record = join(directory, 'used');
const url = `http://127.0.0.1:${DEFAULT_PORT}`;
const profile = { apiKey: 'vc_planted', baseUrl: `${url}/api` };
const config = { currentProfile: 'default', profiles: { default: profile } };
mkdirSync(join(home, '.config', 'vc'), { recursive: true });
writeFileSync(join(home, '.config', 'vc', 'config.json'), JSON.stringify(config));
writeFileSync(record, '');
await recordUse('the Docker Engine of the host', { path: socket });
// If another program has the port, nothing is recorded, and a test that uses it fails anyway.
await recordUse(`port ${DEFAULT_PORT}`, { host: '127.0.0.1', port: DEFAULT_PORT }).catch(() => {});

const { env } = process;
const cacheHome = env.XDG_CACHE_HOME || join(homedir(), '.cache');
const child = spawn(program, args, {
  stdio: 'inherit',
  env: {
    // npm's own settings are kept.
    npm_config_cache: join(homedir(), '.npm'),
    npm_config_userconfig: join(homedir(), '.npmrc'),
    ...env,
    HOME: home,
    DOCKER_HOST: `unix://${socket}`,
    VC_PROFILE: 'planted',
    VC_BASE_URL: `${url}/planted`,
    VC_API_KEY: 'vc_planted',
    VC_STATE_DIR: join(home, 'state'),
    VC_ENGINE: 'planted',
    VC_TEST_CACHE_DIR: env.VC_TEST_CACHE_DIR ?? env.VC_CACHE_DIR ?? join(cacheHome, 'vc'),
    VC_TEST_STAND_IN_ENGINE: `unix://${socket}`,
    VC_TEST_PLANTED_HOST: directory,
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => {
  rmSync(directory, { recursive: true, force: true });
  process.exit(code ?? 128 + constants.signals[signal]);
});

function recordUse(what, where) {
  const server = createServer((connection) => {
    connection.on('error', () => undefined);
    connection.once('data', (data) => {
      const [line] = data.toString('latin1').split('\r\n');
      appendFileSync(record, `${what} was used: ${line}\n`);
      connection.end('HTTP/1.1 500 Planted\r\ncontent-length: 0\r\n\r\n');
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(where, resolve);
  });
}
