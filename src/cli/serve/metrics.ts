import { request } from 'undici';

const WITHIN_MS = 5_000;

/** A line of Prometheus's text format: a name, labels and a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What the service at `baseUrl` counts; undefined when it does not tell. */
export async function readMetrics(
  baseUrl: string,
  apiKey: string | undefined,
  signal: AbortSignal,
): Promise<Sample[] | undefined> {
  const { statusCode, body } = await request(new URL('/metrics', baseUrl), {
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    reset: true,
  });
  const text = await body.text();
  return statusCode === 200 ? parseMetrics(text) : undefined;
}

/** Lines that are no samples are left out. */
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

/** In one line what somebody who looks after a service wants to know first. */
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
