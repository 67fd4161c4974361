import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../eventually.js';
import type { HttpAnswer } from '../service/service.js';
import { openRtmpServer } from './ingest.js';

type Call = (method: string, path: string, body?: object) => Promise<HttpAnswer>;

/**
 * Streams a computer's screen to a server that is killed and started again. The service must say
 * that it connects again, and then continue. Returns the figure for the table of promises.
 */
export async function followTarget(call: Call): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'vc-target-'));
  const server = await openRtmpServer(directory);
  const status = async () => (await call('GET', '/stream/status')).json;
  try {
    const url = `rtmp://127.0.0.1:${server.port}/live/test`;
    const started = await call('POST', '/stream/start', { url, fps: 15 });
    expect(started.status, JSON.stringify(started.json)).toBe(200);
    await server.kill();
    const killedAt = Date.now();
    await eventually(async () => (await status()).message?.includes('reconnecting'), 20_000);
    expect((await status()).status).toBe('streaming');
    const noticed = Date.now() - killedAt;
    await server.start();
    await eventually(async () => (await status()).message === undefined, 30_000);
    expect((await status()).pid).not.toBe(started.json.pid);
    return `a server that went away is noticed after ${(noticed / 1000).toFixed(1)} s`;
  } finally {
    await call('POST', '/stream/stop');
    await server.kill();
    rmSync(directory, { recursive: true });
  }
}
