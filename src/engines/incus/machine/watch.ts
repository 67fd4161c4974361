import { on } from 'node:events';
import { onAbort } from '../../../lib/async/abort.js';
import { withDeadline } from '../../../lib/async/deadline.js';
import { textBeyond } from '../../../lib/json/bounds.js';
import { parseJson } from '../../../lib/json/parse.js';
import type { MachineEvent } from '../../engine.js';
import { type Cluster, QUICK_MS } from '../client/cluster.js';
import { listMembers } from '../client/members.js';
import { unreachable } from '../errors.js';
import { machineOf } from '../ids.js';
import type { Instances } from './instances.js';
import { Moving, movingState } from './moves/copies.js';
import { machineState } from './state.js';

/** Interval of queries, which detect a member that hangs but keeps the connection open. */
const PING_EVERY_MS = 5_000;
/** Most events in memory; later ones are read when these were handled. */
const MOST_EVENTS = 100;

/** Values of an event, which has some tens. */
const EVENT_BOUNDS = { levels: 32, values: 10_000, fields: 1_000, allFields: 10_000 } as const;

const ENDED = /^instance-(deleted|renamed)$/;
const CHANGED = /^instance-(started|stopped|shutdown|paused|resumed|restarted|ready)$/;

interface LifecycleEvent {
  readonly metadata?: {
    readonly action?: string;
    readonly source?: string;
    /** Of a renamed instance. */
    readonly context?: { readonly old_name?: string } | null;
  };
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
    const deadline = { ms: QUICK_MS, onTimeout: () => unreachable(new Error('no answer')), signal };
    withDeadline(deadline, (either) => listMembers(cluster, either)).catch((error) =>
      lost.abort(error),
    );
  }, PING_EVERY_MS);
  socket.once('close', () => lost.abort(unreachable(new Error('the connection was closed'))));
  try {
    const messages = on(socket, 'message', { signal: lost.signal, highWaterMark: MOST_EVENTS });
    socket.resume();
    for await (const [data] of messages) {
      yield* machineEvents(instances, serviceId, String(data), signal);
    }
  } catch (error) {
    if (!signal.aborted) throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    clearInterval(heartbeat);
    dispose();
    socket.terminate();
  }
}

/**
 * The present states of the machines that an event is about, which may have changed since. A machine
 * is gone only if the cluster has none: one that is moved is deleted where it was.
 */
async function* machineEvents(
  instances: Instances,
  serviceId: string,
  text: string,
  signal: AbortSignal,
): AsyncIterable<MachineEvent> {
  if (textBeyond(text, EVENT_BOUNDS) !== undefined) return;
  const { action = '', source = '', context } = (parseJson(text) as LifecycleEvent)?.metadata ?? {};
  const isEnd = ENDED.test(action);
  if (!isEnd && !CHANGED.test(action)) return;
  const name = /\/instances\/([^/?]+)/.exec(source)?.[1];
  for (const id of [name, context?.old_name].flatMap((each) => machineOf(each ?? '') ?? [])) {
    instances.forget(id);
    try {
      const instance = await instances.find(id, signal);
      const state = instance && machineState(serviceId, instance);
      if (state !== undefined) yield state;
      else if (isEnd) yield { id, status: 'gone' };
    } catch (error) {
      if (error instanceof Moving) yield movingState(id);
    }
  }
}
