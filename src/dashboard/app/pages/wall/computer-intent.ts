import type { Intent } from '../../api/commands.js';
import type { Computer } from '../../api/types.js';
import { given } from '../../components/forms/given.js';
import { readPairs } from '../../components/forms/pairs.js';

/** Options that are texts, and their names for `vc create`. */
const TEXTS = {
  os: '--os',
  image: '--image',
  engine: '--engine',
  member: '--member',
  resolution: '--resolution',
  timezone: '--timezone',
  locale: '--locale',
};

/** Begins the names of the fields with the paths of volumes. */
export const VOLUME = 'volume ';

/** The request for a new computer. */
export function computerIntent(fields: FormData): Intent {
  const name = given(fields, 'name') ?? '';
  const project = given(fields, 'project') ?? 'default';
  const [cpu, ram] = [given(fields, 'cpu') ?? '2', given(fields, 'ram') ?? '2'];
  const [autoStop, expires] = [given(fields, 'auto_stop'), given(fields, 'expires')];
  const [labels, env] = [readPairs(given(fields, 'labels')), readPairs(given(fields, 'env'))];
  const setup = given(fields, 'setup');
  const onIdle = given(fields, 'on_idle') === 'delete';
  const network = networkOf(fields);
  const volumes = [...fields.keys()].flatMap((field) => {
    const path = field.startsWith(VOLUME) ? given(fields, field) : undefined;
    return path === undefined ? [] : [`${field.slice(VOLUME.length)}:${path}`];
  });
  const texts = Object.entries(TEXTS).flatMap(([key, option]) => {
    const value = given(fields, key);
    return value === undefined ? [] : [{ key, option, value }];
  });
  const hasSudo = fields.has('sudo');
  const body = {
    project,
    name,
    cpu: Number(cpu),
    ram: Number(ram),
    ...Object.fromEntries(texts.map(({ key, value }) => [key, value])),
    ...(autoStop === undefined ? {} : { auto_stop_minutes: Number(autoStop) }),
    ...(onIdle ? { on_idle: 'delete' } : {}),
    ...(expires === undefined ? {} : { expires_in: Number(expires) }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(setup === undefined ? {} : { setup }),
    ...(hasSudo ? {} : { sudo: false }),
    ...(fields.has('protected') ? { protected: true } : {}),
    ...(network === undefined ? {} : { network }),
    ...(volumes.length > 0 ? { volumes } : {}),
  };
  const request = { method: 'POST', path: '/computers?wait=0', body } as const;
  // `vc create` reads the script from a file.
  if (setup !== undefined) return request;
  const vc = ['create', `${project}/${name}`, '--cpu', cpu, '--ram', ram];
  for (const { option, value } of texts) vc.push(option, value);
  if (autoStop !== undefined) vc.push('--auto-stop', `${autoStop}m`);
  if (onIdle) vc.push('--on-idle', 'delete');
  if (expires !== undefined) vc.push('--expires', `${expires}s`);
  for (const pair of Object.entries(labels)) vc.push('--label', pair.join('='));
  for (const pair of Object.entries(env)) vc.push('--env', pair.join('='));
  if (!hasSudo) vc.push('--no-sudo');
  if (fields.has('protected')) vc.push('--protect');
  if (network !== undefined) vc.push('--network', optionOf(network));
  for (const volume of volumes) vc.push('--volume', volume);
  return { ...request, vc };
}

/** The lines that are not empty. */
function linesOf(text = ''): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** What the lines allow: all without any, nothing for `none`; throttled if a rate or delay is given. */
function networkOf(fields: FormData): Computer['network'] | undefined {
  const allow = linesOf(given(fields, 'network'));
  const [rate, delay] = [given(fields, 'rate'), given(fields, 'delay')];
  const throttle = { ...(rate && { rate }), ...(delay && { delay }) };
  if (allow.length === 1 && allow[0] === 'none') return 'none';
  if (allow.length > 0) return { allow, ...throttle };
  return rate || delay ? { internet: true, ...throttle } : undefined;
}

function optionOf(network: Computer['network']): string {
  if (typeof network === 'string') return network;
  const { allow, rate, delay } = network;
  const reached = allow === undefined ? 'internet' : `allow=${allow.join(',')}`;
  return [reached, rate && `rate=${rate}`, delay && `delay=${delay}`].filter(Boolean).join(',');
}
