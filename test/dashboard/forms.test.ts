import { describe, expect, it } from 'vitest';
import type { Computer } from '../../src/dashboard/app/api/types.js';
import { sizes } from '../../src/dashboard/app/components/forms/computer-options.js';
import {
  changedPairs,
  readPairs,
  writePairs,
} from '../../src/dashboard/app/components/forms/pairs.js';
import { concerns } from '../../src/dashboard/app/components/forms/wrong-field.js';
import { KEEP, settingsOf } from '../../src/dashboard/app/pages/computer/settings/settings-of.js';
import { budgetsOf, usedOf } from '../../src/dashboard/app/pages/keys/budgets.js';
import { computerIntent } from '../../src/dashboard/app/pages/wall/computer-intent.js';

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

it('offers the published sizes, and the present one of a computer of an older client', () => {
  const offered = (present?: number) => sizes(present).map(({ value }) => value);
  expect(offered()).toEqual(['2', '4', '8']);
  expect(offered(8)).toEqual(['2', '4', '8']);
  expect(offered(1)).toEqual(['1', '2', '4', '8']);
  expect(offered(16)).toEqual(['2', '4', '8', '16']);
});

it('reads lines of names and values', () => {
  expect(readPairs(undefined)).toEqual({});
  expect(readPairs('\n A = b=c \r\nB\n=x\n\n')).toEqual({ A: ' b=c ', B: '' });
  const pairs = { team: 'qa', empty: '', url: 'a=b' };
  expect(readPairs(writePairs(pairs))).toEqual(pairs);
});

it('asks only for labels that differ', () => {
  expect(changedPairs({ a: '1' }, { a: '1' })).toBeUndefined();
  expect(changedPairs({ a: '1', b: '2', c: '3' }, { a: '1', b: 'x', d: '' })).toEqual({
    ...{ b: 'x', c: null, d: '' },
  });
});

describe('the settings of a computer', () => {
  const computer = {
    ...{ labels: { team: 'qa' }, env_names: ['A', 'B'] },
    ...{ cpu: 4, ram: 8, resolution: { width: 1920, height: 1080 } },
  } as unknown as Computer;
  const fields = {
    ...{ name: 'desk', cpu: '4', ram: '8', resolution: '1920x1080', auto_stop: '' },
    ...{ on_idle: 'stop', expires: KEEP, labels: 'team=qa', env: '' },
  };
  const same = { name: 'desk', auto_stop_minutes: null, on_idle: 'stop', protected: false };

  it('leave size, labels, variables and expiry alone that were not changed', () => {
    expect(settingsOf(form(fields), computer)).toEqual(same);
  });

  it('change the size', () => {
    const size = { cpu: '2', ram: '4', resolution: '1280x800' };
    expect(settingsOf(form({ ...fields, ...size }), computer)).toEqual({
      ...same,
      ...{ cpu: 2, ram: 4, resolution: '1280x800' },
    });
  });

  it('remove and set labels, variables and expiry', () => {
    const changes = { labels: 'stage=live', env: 'NEW=1\nA=2', 'remove A': 'on', 'remove B': 'on' };
    const body = settingsOf(form({ ...fields, ...changes, expires: '' }), computer);
    expect(body).toEqual({
      ...same,
      labels: { team: null, stage: 'live' },
      env: { A: '2', B: null, NEW: '1' },
      expires_at: null,
    });
    const { expires_at } = settingsOf(form({ ...fields, expires: '3600' }), computer);
    expect(Math.abs(Date.parse(expires_at ?? '') - Date.now() - 3_600_000)).toBeLessThan(60_000);
  });
});

describe('a new computer', () => {
  const fields = { name: 'desk', project: 'demo', cpu: '2', ram: '4', sudo: 'on' };
  const path = '/computers?wait=0';
  const body = { project: 'demo', name: 'desk', cpu: 2, ram: 4 };
  const vc = ['create', 'demo/desk', '--cpu', '2', '--ram', '4'];

  it('has no option that was left as it is', () => {
    expect(computerIntent(form(fields))).toEqual({ method: 'POST', path, body, vc });
  });

  it('has its options, and the same command', () => {
    const { sudo, ...rest } = fields;
    const options = {
      ...{ labels: 'team=qa', env: 'A=1', timezone: 'Europe/Berlin', locale: 'de_DE.UTF-8' },
      ...{ expires: '3600', auto_stop: '5' },
    };
    expect(computerIntent(form({ ...rest, ...options }))).toMatchObject({
      body: {
        ...body,
        ...{ labels: { team: 'qa' }, env: { A: '1' }, sudo: false, expires_in: 3600 },
        ...{ timezone: 'Europe/Berlin', locale: 'de_DE.UTF-8', auto_stop_minutes: 5 },
      },
      vc: [
        ...vc,
        ...['--timezone', 'Europe/Berlin', '--locale', 'de_DE.UTF-8', '--auto-stop', '5m'],
        ...['--expires', '3600s', '--label', 'team=qa', '--env', 'A=1', '--no-sudo'],
      ],
    });
  });

  it('has an engine, a network, volumes and what protects it', () => {
    const options = {
      ...{ os: 'linux', engine: 'qemu', member: '', on_idle: 'delete', auto_stop: '5' },
      ...{ network: 'example.com\r\n\n203.0.113.0/24', protected: 'on' },
      ...{ 'volume data': '/data:ro', 'volume other': '' },
    };
    const intent = computerIntent(form({ ...fields, ...options }));
    const network = { allow: ['example.com', '203.0.113.0/24'] };
    expect(intent.body).toEqual({
      ...{ ...body, os: 'linux', engine: 'qemu', auto_stop_minutes: 5, on_idle: 'delete' },
      ...{ network, volumes: ['data:/data:ro'], protected: true },
    });
    expect(intent.vc).toEqual([
      ...[...vc, '--os', 'linux', '--engine', 'qemu', '--auto-stop', '5m', '--on-idle', 'delete'],
      ...['--protect', '--network', 'allow=example.com,203.0.113.0/24'],
      ...['--volume', 'data:/data:ro'],
    ]);
    expect(computerIntent(form({ ...fields, network: 'none' }))).toMatchObject({
      ...{ body: { network: 'none' }, vc: [...vc, '--network', 'none'] },
    });
    expect(computerIntent(form({ ...fields, rate: '1mbit', delay: '200ms' }))).toMatchObject({
      body: { network: { internet: true, rate: '1mbit', delay: '200ms' } },
      vc: [...vc, '--network', 'internet,rate=1mbit,delay=200ms'],
    });
  });

  it('with a script is not a command, which reads it from a file', () => {
    const intent = computerIntent(form({ ...fields, setup: 'echo hi' }));
    expect(intent).toEqual({ method: 'POST', path, body: { ...body, setup: 'echo hi' } });
  });
});

it('shows and sets the budgets of a key', () => {
  const limits = { max_computers: 5, max_hours: 10, max_actions: null };
  const used = { computers: 3, hours: 0.54, actions: 12 };
  expect(usedOf({ ...limits, used })).toBe('3 of 5 computers, 0.5 of 10 h');
  expect(usedOf({ ...limits, max_computers: null, max_hours: null, used })).toBeUndefined();
  const fields = form({ max_computers: '5', max_hours: '10', max_actions: '' });
  expect(budgetsOf(fields)).toEqual(limits);
});

it('an error belongs to the field that it begins with', () => {
  const concerned = (message: string, name: string) =>
    concerns({ code: 'invalid_request', message }, name);
  expect(concerned('ram must be 2, 4 or 8', 'ram')).toBe(true);
  expect(concerned('network.allow.0 must be a domain', 'network')).toBe(true);
  expect(concerned('auto_stop_minutes must be a number', 'auto_stop')).toBe(true);
  expect(concerned('ram must be 2, 4 or 8', 'cpu')).toBe(false);
  expect(concerned('name must be unique', 'na')).toBe(false);
  expect(concerns({ code: 'conflict', message: 'name is taken' }, 'name')).toBe(false);
});
