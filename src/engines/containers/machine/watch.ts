import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { onAbort } from '../../../lib/async/abort.js';
import type { MachineEvent } from '../../engine.js';
import { ask, isRemote, QUICK_MS, untyped } from '../client.js';
import { dialectOf } from '../dialect.js';
import { toApiError } from '../errors.js';
import { LABEL } from '../ids.js';
import { inspectMachine } from './status.js';

/** Docker and Podman name some events differently; Podman filters by its own names. */
const REMOVED = ['destroy', 'remove'];
const CHANGED = ['start', 'die', 'died', ...REMOVED];
/** Interval of pings, which detect an Engine that hangs but keeps the connection open. */
const PING_EVERY_MS = 5_000;

interface DockerEvent {
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Record<string, string> };
}

/** State changes of the service's machines. Throws `engine_unavailable` if the Engine is lost. */
export async function* watchMachines(
  docker: Docker,
  serviceId: string,
  signal: AbortSignal,
): AsyncIterable<MachineEvent> {
  const stopped = new AbortController();
  if (signal.aborted) return;
  const dispose = onAbort(signal, (reason) => stopped.abort(reason));
  const stream = await ask(docker, QUICK_MS, signal, () =>
    openEvents(docker, serviceId, stopped.signal),
  );
  stream.on('error', () => undefined);
  const end = (reason: unknown) => stream.destroy(reason as Error);
  const heartbeat = setInterval(() => {
    ask(docker, QUICK_MS, signal, (abortSignal) => untyped(docker).ping({ abortSignal })).catch(
      end,
    );
  }, PING_EVERY_MS);
  try {
    for await (const line of createInterface({ input: stream })) {
      const event = await machineEvent(docker, line, signal);
      if (event) yield event;
    }
    // The Engine never ends the stream: ping it for the reason.
    await ask(docker, QUICK_MS, signal, (abortSignal) => untyped(docker).ping({ abortSignal }));
  } catch (error) {
    if (!signal.aborted) throw toApiError(error, dialectOf(docker));
  } finally {
    clearInterval(heartbeat);
    dispose();
    stopped.abort();
    stream.destroy();
  }
}

function openEvents(
  docker: Docker,
  serviceId: string,
  abortSignal: AbortSignal,
): Promise<Readable> {
  return untyped(docker).getEvents({
    filters: {
      type: ['container'],
      event: CHANGED,
      label: [`${LABEL.service}=${serviceId}`],
    },
    // Include events since now, except from a remote Engine, whose clock may differ.
    ...(isRemote(docker) ? {} : { since: (Date.now() / 1000).toFixed(3) }),
    abortSignal,
  });
}

async function machineEvent(
  docker: Docker,
  line: string,
  signal: AbortSignal,
): Promise<MachineEvent | undefined> {
  const { Action, Actor } = parse(line);
  const id = Actor?.Attributes?.[LABEL.machine];
  const container = Actor?.ID;
  if (!id || container === undefined) return undefined;
  if (REMOVED.includes(Action ?? '')) return { id, status: 'gone' };
  // It may have changed since the event: report its present state.
  return inspectMachine(docker, container, id, signal);
}

function parse(line: string): DockerEvent {
  try {
    return JSON.parse(line) as DockerEvent;
  } catch {
    return {};
  }
}
