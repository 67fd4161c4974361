import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { MachineEvent } from '../engine.js';
import { ask, isRemote, QUICK_MS, untyped } from './client.js';
import { toApiError } from './errors.js';
import { LABEL } from './ids.js';
import { inspectMachine } from './status.js';

/** An Engine that holds the connection and is stuck shows by not answering this often. */
const PING_EVERY_MS = 5_000;

interface DockerEvent {
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Record<string, string> };
}

/** State changes of the service's machines. Throws `engine_unavailable` when the Engine goes away. */
export async function* watchMachines(
  docker: Docker,
  serviceId: string,
  signal: AbortSignal,
): AsyncIterable<MachineEvent> {
  const stopped = new AbortController();
  const onAbort = () => stopped.abort(signal.reason);
  if (signal.aborted) return;
  signal.addEventListener('abort', onAbort, { once: true });
  const stream = await ask(QUICK_MS, signal, () => openEvents(docker, serviceId, stopped.signal));
  stream.on('error', () => undefined);
  const end = (reason: unknown) => stream.destroy(reason as Error);
  const pulse = setInterval(() => {
    ask(QUICK_MS, signal, (abortSignal) => untyped(docker).ping({ abortSignal })).catch(end);
  }, PING_EVERY_MS);
  try {
    for await (const line of createInterface({ input: stream })) {
      const event = await machineEvent(docker, line, signal);
      if (event) yield event;
    }
    // It does not end by itself: ask who is there, so that the reason is the Engine's own.
    await ask(QUICK_MS, signal, (abortSignal) => untyped(docker).ping({ abortSignal }));
  } catch (error) {
    if (!signal.aborted) throw toApiError(error);
  } finally {
    clearInterval(pulse);
    signal.removeEventListener('abort', onAbort);
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
      event: ['start', 'die', 'destroy'],
      label: [`${LABEL.service}=${serviceId}`],
    },
    // What happens while the request is on its way counts too; another machine's clock may differ.
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
  if (id === undefined || container === undefined) return undefined;
  if (Action === 'destroy') return { id, status: 'gone' };
  // By now it may have gone on: its present state counts.
  return inspectMachine(docker, container, id, signal);
}

function parse(line: string): DockerEvent {
  try {
    return JSON.parse(line) as DockerEvent;
  } catch {
    return {};
  }
}
