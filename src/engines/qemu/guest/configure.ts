import { ApiError } from '../../../contract/errors.js';
import { hostname, macAddress } from '../ids.js';
import { FILES } from '../layout.js';
import type { GuestNetwork } from '../network/index.js';
import { connectSocket } from '../process/index.js';
import type { Place } from '../qemu.js';
import type { MachineRecord } from '../record.js';
import { Agent, type Identity } from './agent.js';

/** A guest that boots under emulation on a busy host takes this long at the most. */
const AGENT_MS = 120_000;

/** Who a machine's guest is to be. */
export function identityOf(
  { spec, hostKey }: MachineRecord,
  network: GuestNetwork | null,
): Identity {
  return {
    hostname: hostname(spec.id),
    authorizedKey: spec.authorizedKey,
    resolution: spec.resolution,
    mac: macAddress(spec.id),
    hostKey,
    network,
  };
}

/** Runs `work` with a connection to the agent in a guest, once that answers. */
export async function withAgent<T>(
  { directory }: Place,
  work: (agent: Agent) => Promise<T>,
  { signal, timeoutMs = AGENT_MS }: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
): Promise<T> {
  const late = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  const agent = new Agent(await connectSocket(directory, FILES.control));
  try {
    await agent.hello(either).catch((cause) => {
      if (signal?.aborted || !late.aborted) throw cause;
      const message = `The computer's system did not start within ${timeoutMs / 1000} s.`;
      throw new ApiError('guest_timeout', message, { cause });
    });
    return await work(agent);
  } finally {
    agent.close();
  }
}
