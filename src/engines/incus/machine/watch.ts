import { on } from 'node:events';
import { onAbort } from '../../../lib/async/abort.js';
import { parseJson } from '../../../lib/text/parse-json.js';
import type { MachineEvent } from '../../engine.js';
import { type Cluster, QUICK_MS } from '../client/cluster.js';
import { listMembers } from '../client/members.js';
import { unreachable } from '../errors.js';
import { machineOf } from '../ids.js';
import type { Instances } from './instances.js';
import { machineState } from './state.js';

/** Interval of queries, which detect a member that hangs but keeps the connection open. */
const PING_EVERY_MS = 5_000;

const ENDED = /^instance-(deleted|renamed)$/;
const CHANGED = /^instance-(started|stopped|shutdown|paused|resumed|restarted|ready)$/;

interface LifecycleEvent {
  readonly metadata?: { readonly action?: string; readonly source?: string };
}

/** State changes of the service's machines. Throws `engine_unavailable` if the cluster is lost. */
export async function* watchMachines(
  cluster: Cluster,
  instances: Instances,
  serviceId: string,
  signal: AbortSignal,
): AsyncIterable<MachineEvent> {
  if (signal.aborted) return;
  // Answered by the member in use, which the events then come from.
  await listMembers(cluster, signal);
  const socket = await cluster.socket('/1.0/events?type=lifecycle', { signal });
  const lost = new AbortController();
  const dispose = onAbort(signal, () => lost.abort());
  const heartbeat = setInterval(() => {
    listMembers(cluster, AbortSignal.any([signal, AbortSignal.timeout(QUICK_MS)])).catch((error) =>
      lost.abort(error),
    );
  }, PING_EVERY_MS);
  socket.once('close', () => lost.abort(unreachable(new Error('the connection was closed'))));
  try {
    const messages = on(socket, 'message', { signal: lost.signal });
    socket.resume();
    for await (const [data] of messages) {
      const event = await machineEvent(instances, serviceId, String(data), signal);
      if (event) yield event;
    }
  } catch (error) {
    if (!signal.aborted) throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    clearInterval(heartbeat);
    dispose();
    socket.terminate();
  }
}

async function machineEvent(
  instances: Instances,
  serviceId: string,
  text: string,
  signal: AbortSignal,
): Promise<MachineEvent | undefined> {
  const { action = '', source = '' } = (parseJson(text) as LifecycleEvent)?.metadata ?? {};
  const name = /\/instances\/([^/?]+)/.exec(source)?.[1] ?? '';
  const id = machineOf(name);
  if (id === undefined) return undefined;
  if (ENDED.test(action)) {
    instances.forget(id);
    return { id, status: 'gone' };
  }
  if (!CHANGED.test(action)) return undefined;
  instances.forget(id);
  // It may have changed since the event: report its present state.
  const instance = await instances.find(id, signal).catch(() => undefined);
  return instance && machineState(serviceId, instance);
}
