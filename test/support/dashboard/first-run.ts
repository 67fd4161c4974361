import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { eventually } from '../eventually.js';
import { plantQemuSeed } from '../qemu/seed.js';

const VC = new URL('../../../bin/vc.js', import.meta.url).pathname;

export interface FirstRun {
  /** The link to the web page that the service printed. */
  readonly login: string;
  close(): Promise<void>;
}

/** Starts `vc serve` for the first time, in a terminal. */
export async function openFirstRun(): Promise<FirstRun> {
  const directory = mkdtempSync(join(tmpdir(), 'vc-e2e-'));
  const state = join(directory, 'state');
  if (inject('qemuSeed') !== '') await plantQemuSeed(inject('qemuSeed'), state);
  const command = `'${process.execPath}' '${VC}' serve --listen 127.0.0.1:0 --spares 0`;
  // `script` runs it in a pseudo-terminal, and passes Ctrl-C on to it.
  const child = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
    env: {
      ...{ PATH: process.env.PATH, HOME: directory, VC_STATE_DIR: state },
      ...{ VC_CONFIG_DIR: join(directory, 'config'), VC_CACHE_DIR: process.env.VC_CACHE_DIR },
      ...{ VC_ENGINE: inject('engine'), DOCKER_HOST: inject('dockerHost') },
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = once(child, 'exit');
  const close = async () => {
    child.stdin.write('\x03');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const login = await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`vc serve did not start:\n${output}`);
      return /listening on/.test(output) && /http:\S+\/#login=[\w.~-]+/.exec(output)?.[0];
    }, 60_000);
    return { login, close };
  } catch (error) {
    await close();
    throw error;
  }
}
