import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { VirtualComputers } from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';

const content = Buffer.alloc(300_000, 'x');
let service: FakeService;
let vc: VirtualComputers;
let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vc-progress-'));
  service = await startFakeService();
  vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key' });
});
afterEach(async () => {
  await vc.close();
  await service.close();
  rmSync(directory, { recursive: true });
});

it('tells the progress of an upload and a download', async () => {
  const { files } = vc.computer({ id: 'cmp_1' });
  const [from, to] = [join(directory, 'from'), join(directory, 'to')];
  writeFileSync(from, content);
  service.handle('GET /computers/cmp_1/files', (_, response) => {
    response.setHeader('content-length', content.length).end(content);
  });
  service.on('PUT /computers/cmp_1/files', { success: true, path: '/x', size: content.length });
  for (const transfer of [
    (onProgress: (bytes: number, size?: number) => void) => files.upload(from, 'x', { onProgress }),
    (onProgress: (bytes: number, size?: number) => void) => files.download('x', to, { onProgress }),
  ]) {
    const told: number[] = [];
    await transfer((bytes, size) => {
      expect(size).toBe(content.length);
      told.push(bytes);
    });
    expect(told.length).toBeGreaterThan(1);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told.at(-1)).toBe(content.length);
  }
  expect(readFileSync(to).equals(content)).toBe(true);
});

it('an exception in onProgress ends the transfer and is thrown', async () => {
  service.handle('GET /computers/cmp_1/files', (_, response) => void response.end(content));
  const failure = new Error('enough');
  const { files } = vc.computer({ id: 'cmp_1' });
  const onProgress = () => {
    throw failure;
  };
  const to = join(directory, 'to');
  await expect(files.download('x', to, { onProgress })).rejects.toBe(failure);
  expect(() => readFileSync(to)).toThrow('ENOENT');
});
