import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import { ApiError } from '../../../../src/contract/errors.js';
import type { Firewall } from '../../../../src/engines/containers/network/firewall.js';
import { watchFirewall } from '../../../../src/engines/containers/network/watch.js';
import { promise } from '../../../support/run/promise.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('computers whose firewall rules cannot be restored', () => {
  promise(27, 'are disconnected within 10 s, and reconnected with their rules', async () => {
    let failure: ApiError | undefined;
    const ensure = vi.fn(async () => {
      if (failure) throw failure;
    });
    const machines = { disconnectAll: vi.fn(async () => 2), reconnectAll: vi.fn(async () => {}) };
    const problems: string[] = [];
    const stop = new AbortController();
    watchFirewall({ ensure } as unknown as Firewall, machines, stop.signal, (problem) =>
      problems.push(problem),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(machines.disconnectAll).not.toHaveBeenCalled();

    // An unavailable Engine cannot disconnect; its firewall container works without the service.
    failure = new ApiError('engine_unavailable', 'Docker is away.');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(machines.disconnectAll).not.toHaveBeenCalled();

    failure = new ApiError('unsupported', 'The firewall cannot be set up.');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(machines.disconnectAll).toHaveBeenCalled();
    expect(problems[0]).toBe('2 computers have no network: The firewall cannot be set up.');
    expect(machines.reconnectAll).not.toHaveBeenCalled();

    failure = undefined;
    await vi.advanceTimersByTimeAsync(4_000);
    expect(machines.reconnectAll).toHaveBeenCalledTimes(1);
    stop.abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(machines.reconnectAll).toHaveBeenCalledTimes(1);
  });
});
