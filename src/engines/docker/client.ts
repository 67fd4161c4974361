import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import Docker from 'dockerode';
import { toApiError, unanswered } from './errors.js';

/** What dockerode has and its types do not say. */
export interface UntypedDocker {
  readonly modem: {
    readonly host?: string;
    readonly port?: number | string;
    readonly protocol: string;
    agent?: Agent | TlsAgent;
    getSocketPath(): Promise<string>;
  };
  info(options: Abortable): Promise<{ readonly NCPU: number }>;
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

/** Milliseconds for a question, for a step that changes something, for a container's end. */
export const QUICK_MS = 10_000;
export const STEP_MS = 60_000;

/**
 * The Engine that `DOCKER_HOST` (and `DOCKER_TLS_VERIFY`, `DOCKER_CERT_PATH`) name, by default the
 * local one. A connection a request: one that was kept open fails once after an Engine's restart.
 */
export function connectDocker(): Docker {
  const docker = new Docker();
  const { modem } = untyped(docker);
  modem.agent = modem.protocol === 'https' ? new TlsAgent() : new Agent();
  return docker;
}

/** True when the Engine runs on another machine, where files and addresses of this one mean nothing. */
export function isRemote(docker: Docker): boolean {
  return untyped(docker).modem.host !== undefined;
}

/** How the Engine is reached, for a message. */
export async function addressOf(docker: Docker): Promise<string> {
  const { modem } = untyped(docker);
  const { host, port, protocol } = modem;
  if (host) return `${protocol}://${host}${port ? `:${port}` : ''}`;
  return `unix://${await modem.getSocketPath().catch(() => '/var/run/docker.sock')}`;
}

/**
 * One request, bounded by `ms` milliseconds and the signal, even against an Engine that accepts
 * and never answers. Errors become {@link ApiError}s.
 */
export async function ask<T>(
  ms: number,
  signal: AbortSignal | undefined,
  request: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(unanswered(ms)), ms);
  try {
    // The request may not notice the abort (an answer cut off in the middle never ends).
    return await Promise.race([request(controller.signal), aborted(controller.signal)]);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : toApiError(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * Like {@link ask} for what makes something. The Engine goes on with it when the request is broken
 * off, and what is removed meanwhile would come to be afterwards: so the answer is waited for some
 * seconds longer. The caller has to look at its signal again.
 */
export async function askToMake<T>(
  signal: AbortSignal | undefined,
  request: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const patience = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => patience.abort(signal?.reason), QUICK_MS);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await ask(STEP_MS, patience.signal, request);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
