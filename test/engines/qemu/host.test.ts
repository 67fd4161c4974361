import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import type { Layout } from '../../../src/engines/qemu/layout.js';
import type { NetworkPolicy } from '../../../src/engines/qemu/network/firewall-rules.js';

const toolVersion = vi.fn();
const TOOL_VERSION = '../../../src/engines/qemu/tool-version.js';

// Other files of this process have loaded both modules.
beforeAll(() => {
  vi.doMock(TOOL_VERSION, () => ({ toolVersion }));
  vi.resetModules();
});
afterAll(() => {
  vi.doUnmock(TOOL_VERSION);
  vi.resetModules();
});

const fails = (cause: object) =>
  toolVersion.mockRejectedValue(new ApiError('engine_unavailable', 'it does not run', { cause }));

it('QEMU that only answers late is not away, one that was removed is', async () => {
  const { QemuHost } = await import('../../../src/engines/qemu/host.js');
  const host = new QemuHost({} as Layout, {} as NetworkPolicy);
  fails({ timedOut: true });
  await host.checkAgain();
  fails({ timedOut: false, code: 'ENOENT' });
  await expect(host.checkAgain()).rejects.toMatchObject({ code: 'engine_unavailable' });
});
