import type { Agent } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { onAbort } from '../../lib/async/abort.js';
import { withDeadline } from '../../lib/async/deadline.js';
import { dialectOf } from './dialect.js';
import { toApiError, unanswered } from './errors.js';

/** Members of dockerode that its types lack. */
export interface UntypedDocker {
  readonly modem: {
    readonly host?: string;
    readonly port?: number | string;
    readonly protocol: string;
    agent?: Agent | TlsAgent;
    getSocketPath(): Promise<string>;
    dial(
      request: Abortable & Readonly<Record<string, unknown>>,
      done: (error: unknown, answer: unknown) => void,
    ): void;
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
  docker: Docker,
  ms: number,
  signal: AbortSignal | undefined,
  request: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const dialect = dialectOf(docker);
  const onTimeout = () => unanswered(dialect, ms);
  return withDeadline({ ms, onTimeout, signal }, async (inner) => {
    await dialect.ready?.();
    return request(inner);
  }).catch((error) => {
    throw signal?.aborted ? signal.reason : toApiError(error, dialect);
  });
}

/**
 * Like {@link ask}, for a creation. The Engine completes a creation even if the request is aborted,
 * so an abort takes effect only after some seconds: otherwise a removal could run before it. The
 * caller must check its signal afterwards.
 */
export async function askToMake<T>(
  docker: Docker,
  signal: AbortSignal | undefined,
  request: (abortSignal: AbortSignal) => Promise<T>,
  ms = STEP_MS,
): Promise<T> {
  signal?.throwIfAborted();
  const delayed = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const dispose = onAbort(signal, (reason) => {
    timer = setTimeout(() => delayed.abort(reason), QUICK_MS);
  });
  try {
    return await ask(docker, ms, delayed.signal, request);
  } finally {
    clearTimeout(timer);
    dispose();
  }
}
