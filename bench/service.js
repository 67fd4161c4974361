import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts `vc serve --metrics` in a temporary directory. `prepare` is called with the state directory
 * before the service starts. `vc` is the launcher to run, by `prefix` if it has words. `variables`
 * are added to its environment.
 */
export async function startService(
  vc,
  flags,
  { prepare = () => undefined, variables = {}, prefix = [] } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'vc-bench-'));
  const state = join(directory, 'state');
  prepare(state);
  const config = join(directory, 'config');
  const env = { ...process.env, ...variables, VC_CONFIG_DIR: config, VC_STATE_DIR: state };
  // Without a warm pool, unless the flags ask for one: it would make computers during a measurement.
  const spares = flags.includes('--spares') ? [] : ['--spares', '0'];
  const listen = ['--listen', '127.0.0.1:0', '--metrics'];
  const words = [...prefix, process.execPath, vc, 'serve', ...listen, ...spares, ...flags];
  const child = spawn(words[0], words.slice(1), {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Keeps the end of the log only: a benchmark can log millions of lines.
  let log = '';
  child.stderr.on('data', (chunk) => {
    log = (log + chunk).slice(-64 * 1024);
  });
  let isClosing = false;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  ended.then(() => {
    if (!isClosing) console.error(`the service exited unexpectedly:\n${log}`);
  });
  const close = async () => {
    isClosing = true;
    child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  for (let i = 0; i < 1000; i++, await sleep(20)) {
    const url = /listening on (http:\S+)/.exec(log)?.[1];
    if (url === undefined && child.exitCode === null) continue;
    if (url === undefined) break;
    const { profiles } = JSON.parse(readFileSync(join(config, 'config.json'), 'utf8'));
    const { pid } = child;
    return { url, apiKey: profiles.default.apiKey, pid, state, close, log: () => log };
  }
  await close();
  throw new Error(`the service did not start:\n${log}`);
}

/** For `prepare`: hard-links the images and templates of QEMU in the state directory `seed`. */
export function linkMachines(seed) {
  return (state) => {
    mkdirSync(join(state, 'qemu'), { recursive: true, mode: 0o700 });
    for (const name of ['images', 'templates']) {
      execFileSync('cp', ['-al', join(seed, 'qemu', name), join(state, 'qemu')]);
    }
  };
}

/** A field of /proc/PID/status in MB, such as VmRSS or VmHWM. */
export function memory(pid, field) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
}

const TICKS_PER_SECOND = 100;

/** Processor time of a process and its threads in seconds. */
export function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
