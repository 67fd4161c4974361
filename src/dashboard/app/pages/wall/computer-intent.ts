import type { Intent } from '../../api/commands.js';
import { given } from '../../components/forms/given.js';
import { readPairs } from '../../components/forms/pairs.js';

/** Options that are texts, and their names for `vc create`. */
const TEXTS = {
  image: '--image',
  resolution: '--resolution',
  timezone: '--timezone',
  locale: '--locale',
};

/** The request for a new computer. */
export function computerIntent(fields: FormData): Intent {
  const name = given(fields, 'name') ?? '';
  const project = given(fields, 'project') ?? 'default';
  const [cpu, ram] = [given(fields, 'cpu') ?? '2', given(fields, 'ram') ?? '2'];
  const [autoStop, expires] = [given(fields, 'auto_stop'), given(fields, 'expires')];
  const [labels, env] = [readPairs(given(fields, 'labels')), readPairs(given(fields, 'env'))];
  const setup = given(fields, 'setup');
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
    ...(expires === undefined ? {} : { expires_in: Number(expires) }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(setup === undefined ? {} : { setup }),
    ...(hasSudo ? {} : { sudo: false }),
  };
  const request = { method: 'POST', path: '/computers?wait=0', body } as const;
  // `vc create` reads the script from a file.
  if (setup !== undefined) return request;
  const vc = ['create', `${project}/${name}`, '--cpu', cpu, '--ram', ram];
  for (const { option, value } of texts) vc.push(option, value);
  if (autoStop !== undefined) vc.push('--auto-stop', `${autoStop}m`);
  if (expires !== undefined) vc.push('--expires', `${expires}s`);
  for (const pair of Object.entries(labels)) vc.push('--label', pair.join('='));
  for (const pair of Object.entries(env)) vc.push('--env', pair.join('='));
  if (!hasSudo) vc.push('--no-sudo');
  return { ...request, vc };
}
