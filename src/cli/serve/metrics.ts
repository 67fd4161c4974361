import { text } from 'node:stream/consumers';
import { ServiceError, ServiceUnreachableError } from '../../client/errors.js';
import { openPooledClient } from '../http/pooled-client.js';
import type { ClientSettings } from '../targets/client.js';

const TIMEOUT_MS = 5_000;

/** A sample of Prometheus's text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics of a service; undefined if it serves none. */
export async function readMetrics(
  settings: ClientSettings,
  signal: AbortSignal,
): Promise<Sample[] | undefined> {
  const client = openPooledClient({ ...settings, baseUrl: new URL(settings.baseUrl).origin });
  try {
    const { body } = await client.exchange({
      method: 'GET',
      path: '/metrics',
      query: {},
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return parseMetrics(await text(body));
  } catch (error) {
    if (error instanceof ServiceError || error instanceof ServiceUnreachableError) return undefined;
    throw error;
  } finally {
    await client.close();
  }
}

/** Skips lines that are not samples. */
export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/([a-z_]+)="([^"]*)"/g)];
    return [
      {
        name,
        labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])),
        value: Number(value),
      },
    ];
  });
}

/** A one-line summary. */
export function describeMetrics(samples: readonly Sample[]): string {
  const sum = (name: string, matches: (labels: Sample['labels']) => boolean = () => true) =>
    samples
      .filter((sample) => sample.name === name && matches(sample.labels))
      .reduce((total, { value }) => total + value, 0);
  const requests = 'vc_http_request_duration_seconds_count';
  const failed = sum(requests, ({ status = '' }) => status.startsWith('5'));
  const engineErrors = sum(
    'vc_engine_call_duration_seconds_count',
    ({ outcome }) => outcome === 'error',
  );
  const mib = Math.round(sum('process_resident_memory_bytes') / 2 ** 20);
  return [
    `${sum(requests)} requests, ${failed} failed`,
    `${sum('vc_action_duration_seconds_count')} actions`,
    `${engineErrors} engine calls failed`,
    `${sum('vc_computers', ({ status }) => status === 'running')} computers run`,
    `${sum('process_open_fds')} descriptors`,
    `${mib} MiB`,
  ].join(', ');
}
