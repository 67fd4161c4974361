import { ApiError } from '../../../contract/errors.js';
import { macAddress } from '../ids.js';
import { FILES } from '../layout.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { Workspace } from '../machine/qemu-process.js';
import type { GuestNetwork } from '../network/plan.js';
import { connectSocket } from '../process/socket.js';
import { Agent, type GuestIdentity } from './agent.js';

/** Time for a guest to boot its agent, under TCG on a busy host. */
const AGENT_MS = 120_000;

/** The configuration of a machine's guest. */
export function guestIdentity(
  { spec, hostKey }: MachineRecord,
  network: GuestNetwork | null,
): GuestIdentity {
  return {
    hostname: spec.hostName,
    authorizedKey: spec.authorizedKey,
    resolution: spec.resolution,
    mac: macAddress(spec.id),
    hostKey,
    network,
  };
}

/** Runs `work` with a connection to the guest's agent, once the agent answers. */
export async function withAgent<T>(
  { directory }: Workspace,
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
