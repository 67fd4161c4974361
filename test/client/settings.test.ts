import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { VirtualComputers } from '../../src/client/index.js';
import { type FakeService, startFakeService } from '../cli/support/fake-service.js';

let service: FakeService;
let directory: string;
beforeEach(async () => {
  service = await startFakeService();
  service.on('GET /health', {});
  directory = mkdtempSync(join(tmpdir(), 'vc-config-'));
  for (const name of ['VC_BASE_URL', 'VC_API_KEY', 'VC_PROFILE']) {
    vi.stubEnv(name, '');
  }
  vi.stubEnv('VC_CONFIG_DIR', directory);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
  await service.close();
});

function store(profiles: object): void {
  const file = { current: 'default', profiles };
  writeFileSync(join(directory, 'config.json'), JSON.stringify(file));
}

/** The key that a client sends. */
async function keySent(vc: VirtualComputers): Promise<string | undefined> {
  await vc.health();
  await vc.close();
  return service.received.at(-1)?.headers.authorization;
}

it("takes base URL and key from the CLI's profile", async () => {
  const other = { baseUrl: service.baseUrl, apiKey: 'vc_other' };
  store({ default: { baseUrl: service.baseUrl, apiKey: 'vc_profile' }, other });
  expect(await keySent(new VirtualComputers())).toBe('Bearer vc_profile');
  expect(await keySent(new VirtualComputers({ profile: 'other' }))).toBe('Bearer vc_other');
  expect(() => new VirtualComputers({ profile: 'none' })).toThrow('no profile "none"');
});

it('prefers the environment to the profile, and options to the environment', async () => {
  store({ default: { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'vc_profile' } });
  vi.stubEnv('VC_BASE_URL', service.baseUrl);
  vi.stubEnv('VC_API_KEY', 'vc_environment');
  expect(await keySent(new VirtualComputers())).toBe('Bearer vc_environment');
  expect(await keySent(new VirtualComputers({ apiKey: 'vc_option' }))).toBe('Bearer vc_option');
});

it("never sends a profile's key to another base URL", async () => {
  store({ default: { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'vc_profile' } });
  expect(await keySent(new VirtualComputers({ baseUrl: service.baseUrl }))).toBe(undefined);
});

it('reads no profile when it needs none', async () => {
  writeFileSync(join(directory, 'config.json'), 'damaged');
  expect(() => new VirtualComputers()).toThrow('is damaged');
  const { baseUrl } = service;
  expect(await keySent(new VirtualComputers({ baseUrl, apiKey: 'k' }))).toBe('Bearer k');
});

it('is the local service by default', () => {
  expect(new VirtualComputers().client.baseUrl).toBe('http://127.0.0.1:4700/api');
});
