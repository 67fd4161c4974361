import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { ContainerMachines } from '../machine/container-machines.js';
import type { Firewall } from './firewall.js';

const EVERY_MS = 3_000;
/** Checks that fail one after the other before machines are disconnected. */
const FAILURES = 2;

/**
 * Checks the rules every few seconds until the signal is aborted. Machines whose rules cannot be
 * restored are disconnected from their networks, and connected again when the rules are back.
 */
export function watchFirewall(
  firewall: Firewall,
  machines: Pick<ContainerMachines, 'disconnectAll' | 'reconnectAll'>,
  signal: AbortSignal,
  onProblem: (message: string) => void = () => undefined,
): void {
  let failures = 0;
  let disconnected = false;
  const check = async () => {
    try {
      await firewall.ensure();
      failures = 0;
    } catch (error) {
      // Retry while the Engine is unavailable; its firewall container works without the service.
      if (!(error instanceof ApiError) || error.code === 'engine_unavailable') return;
      failures += 1;
      if (failures < FAILURES) return;
      const count = await machines.disconnectAll(signal);
      disconnected ||= count > 0;
      if (count > 0) onProblem(`${count} computers have no network: ${error.message}`);
      return;
    }
    if (disconnected) await machines.reconnectAll(signal);
    disconnected = false;
  };
  const watch = async () => {
    for (; !signal.aborted; await sleep(EVERY_MS, signal)) await check().catch(() => undefined);
  };
  watch().catch(() => undefined);
}
