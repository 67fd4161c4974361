import { expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { QemuHost } from '../../../src/engines/qemu/host.js';
import type { Layout } from '../../../src/engines/qemu/layout.js';
import type { NetworkPolicy } from '../../../src/engines/qemu/network/firewall-rules.js';
import { toolVersion } from '../../../src/engines/qemu/tool-version.js';

vi.mock('../../../src/engines/qemu/tool-version.js', () => ({ toolVersion: vi.fn() }));

const fails = (cause: object) =>
  vi
    .mocked(toolVersion)
    .mockRejectedValue(new ApiError('engine_unavailable', 'it does not run', { cause }));

it('QEMU that only answers late is not away, one that was removed is', async () => {
  const host = new QemuHost({} as Layout, {} as NetworkPolicy);
  fails({ timedOut: true });
  await host.checkAgain();
  fails({ timedOut: false, code: 'ENOENT' });
  await expect(host.checkAgain()).rejects.toMatchObject({ code: 'engine_unavailable' });
});
