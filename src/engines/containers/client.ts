import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { inspect } from 'node:util';
import Docker from 'dockerode';
import { onAbort } from '../../lib/async/abort.js';
import { withDeadline } from '../../lib/async/deadline.js';
import { toApiError, unanswered } from './errors.js';

/** Members of dockerode that its types lack. */
export interface UntypedDocker {
  readonly modem: {
    readonly host?: string;
    readonly port?: number | string;
    readonly protocol: string;
    agent?: Agent | TlsAgent;
    getSocketPath(): Promise<string>;
  };
  info(options: Abortable): Promise<{
    readonly NCPU: number;
    readonly SecurityOptions?: readonly string[] | null;
  }>;
  version(options: Abortable): Promise<{ readonly Version: string; readonly Os: string }>;
  ping(options: Abortable): Promise<unknown>;
  getEvents(options: Abortable & Record<string, unknown>): Promise<Readable>;
}

interface Abortable {
  readonly abortSignal: AbortSignal;
}

export function untyped(docker: Docker): UntypedDocker {
  return docker as unknown as UntypedDocker;
}

/** Time limits in milliseconds: for queries, and for changes. */
export const QUICK_MS = 10_000;
export const STEP_MS = 60_000;

/**
 * A client of the Engine that `DOCKER_HOST`, `DOCKER_TLS_VERIFY` and `DOCKER_CERT_PATH` specify, by
 * default the local one. No keep-alive: a kept connection fails once after the Engine restarts.
 */
export function connectDocker(): Docker {
  const docker = new Docker();
  const { modem } = untyped(docker);
  const agent = modem.protocol === 'https' ? new TlsAgent() : new Agent();
  // docker-modem formats all of a request's options for a debug message that is rarely printed. An
  // agent refers to every open connection, so that each request would format all of them.
  modem.agent = Object.assign(agent, { [inspect.custom]: () => 'Agent' });
  return docker;
}

/** True if the Engine runs on another host, which cannot see this host's files and addresses. */
export function isRemote(docker: Docker): boolean {
  return untyped(docker).modem.host !== undefined;
}

/** The Engine's address, for messages. */
export async function addressOf(docker: Docker): Promise<string> {
  const { modem } = untyped(docker);
  const { host, port, protocol } = modem;
  if (host) return `${protocol}://${host}${port ? `:${port}` : ''}`;
  return `unix://${await modem.getSocketPath().catch(() => '/var/run/docker.sock')}`;
}

/**
 * Sends one request. Rejects after `ms` milliseconds or with the signal, even if the Engine never
 * answers. Errors become {@link ApiError}s.
 */
export async function ask<T>(
  ms: number,
  signal: AbortSignal | undefined,
  request: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const onTimeout = () => unanswered(ms);
  return withDeadline({ ms, onTimeout, signal }, (inner) => request(inner)).catch((error) => {
    throw signal?.aborted ? signal.reason : toApiError(error);
  });
}

/**
 * Like {@link ask}, for a creation. The Engine completes a creation even if the request is aborted,
 * so an abort takes effect only after some seconds: otherwise a removal could run before it. The
 * caller must check its signal afterwards.
 */
export async function askToMake<T>(
  signal: AbortSignal | undefined,
  request: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const delayed = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const dispose = onAbort(signal, (reason) => {
    timer = setTimeout(() => delayed.abort(reason), QUICK_MS);
  });
  try {
    return await ask(STEP_MS, delayed.signal, request);
  } finally {
    clearTimeout(timer);
    dispose();
  }
}
