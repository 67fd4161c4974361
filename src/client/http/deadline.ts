import { DEFAULT_SECONDS } from '../../contract/constants.js';
import { routes } from '../../contract/routes.js';
import type { OperationName } from '../../contract/types/index.js';

/** Longer than any wait within the service: starting, queueing, stopping. */
const MARGIN_SECONDS = 180;

/**
 * Milliseconds to wait for an answer: the request's own duration plus a margin, so that only a
 * service that hangs times out.
 */
export function answerDeadline(operation: OperationName, body: unknown): number {
  return Math.ceil((workSeconds(operation, body) + MARGIN_SECONDS) * 1000);
}

/** The same for a request whose operation follows from its method and path below the base URL. */
export function requestDeadline(method: string, path: string, body: unknown): number {
  const [route = ''] = path.split('?');
  const names = Object.keys(routes) as OperationName[];
  const operation = names.find((name) => {
    const { method: served, paths } = routes[name];
    const serves = (pattern: string) =>
      new RegExp(`^${pattern.replaceAll(/:[a-z]+/g, '[^/]+')}$`).test(route);
    return served === method && paths.some(serves);
  });
  const fields: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return operation === undefined ? MARGIN_SECONDS * 1000 : answerDeadline(operation, fields);
}

function workSeconds(operation: OperationName, body: unknown): number {
  const field = (name: string, otherwise: number): number => {
    const value = (body as Record<string, unknown> | undefined)?.[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
  };
  switch (operation) {
    case 'bash':
      return field('timeout', DEFAULT_SECONDS.bash);
    case 'exec':
      return field('timeout', DEFAULT_SECONDS.exec);
    case 'wait':
      return Math.max(
        field('duration', 0),
        field('seconds', 0),
        field('timeout', DEFAULT_SECONDS.wait),
      );
    case 'drag':
      return field('duration', DEFAULT_SECONDS.drag);
    case 'batch':
      return batchSeconds(body);
    case 'key':
      return (field('hold_ms', 0) * field('repeat', 1)) / 1000;
    case 'type':
      return (textLength(body) * field('delay_ms', 2)) / 1000;
    default:
      return routes[operation]?.maxSeconds ?? 0;
  }
}

/** The steps of a batch run one after the other. */
function batchSeconds(body: unknown): number {
  const steps = (body as { actions?: unknown } | undefined)?.actions;
  if (!Array.isArray(steps)) return 0;
  return steps.reduce((sum: number, step: unknown) => {
    const action = (step as { action?: unknown } | null)?.action;
    const known = typeof action === 'string' && action !== 'batch';
    return sum + (known ? workSeconds(action as OperationName, step) : 0);
  }, 0);
}

function textLength(body: unknown): number {
  const text = (body as { text?: unknown } | undefined)?.text;
  return typeof text === 'string' ? text.length : 0;
}
