import { expect, it } from 'vitest';
import { ApiError } from '../../src/contract/errors.js';
import {
  ComputersFilter,
  CreateComputer,
  UpdateComputer,
} from '../../src/contract/resources/computer-requests.js';
import { validate } from '../../src/server/http/input/read-input.js';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
const refusal = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error instanceof ApiError ? error.message : error;
  }
};
const create = (body: object) =>
  refusal(() => validate(CreateComputer, { name: 'desk', ...body }, 'body'));

it.each([
  [{ labels: many(33) }, 'labels must have at most 32 labels.'],
  [{ labels: { '': 'x' } }, 'labels. must have names of 1 to 63 letters'],
  [{ labels: { 'a b': 'x' } }, 'labels.a b must have names of 1 to 63 letters'],
  [{ labels: { 'ü=': 'x' } }, 'labels.ü= must have names'],
  [{ labels: { ['k'.repeat(64)]: 'x' } }, 'must have names of 1 to 63 letters'],
  [{ labels: { team: 'v'.repeat(64) } }, 'labels.team must be at most 63 letters'],
  [{ labels: { team: 'a\nb' } }, 'labels.team must be at most 63 letters'],
  [{ labels: { team: 3 } }, 'labels.team must be at most 63 letters'],
  [{ labels: { team: null } }, 'labels.team must be at most 63 letters'],
  [{ labels: ['team'] }, 'labels must be an object of texts'],
  [{ labels: 'team=qa' }, 'labels must be an object of texts'],
  [{ expires_in: 0 }, 'expires_in must be an integer from 60 to 31536000.'],
  [{ expires_in: -60 }, 'expires_in must be an integer from 60 to 31536000.'],
  [{ expires_in: 1e12 }, 'expires_in must be an integer from 60 to 31536000.'],
  [{ expires_in: '2h' }, 'expires_in must be an integer from 60 to 31536000.'],
  [{ on_idle: 'suspend' }, 'on_idle must be "stop" or "delete".'],
])('a creation with %j is refused', (body, message) => {
  expect(create(body)).toContain(message);
});

it('takes 32 labels of 63 characters, and empty values', () => {
  const labels = { ...many(31), ['a/B._-9'.repeat(9)]: '' };
  expect(create({ labels })).toMatchObject({ labels });
});

it('a change takes null to remove a label, and refuses odd names and times', () => {
  const update = (body: object) => refusal(() => validate(UpdateComputer, body, 'body'));
  expect(update({ labels: { team: null } })).toEqual({ labels: { team: null } });
  expect(update({ labels: { 'a b': null } })).toContain('must have names');
  expect(update({ expires_at: 'tomorrow' })).toContain('expires_at must be a time in UTC');
  expect(update({ expires_at: null })).toEqual({ expires_at: null });
});

it('a selector is NAME or NAME=VALUE, once or several times', () => {
  const select = (label: unknown) => refusal(() => validate(ComputersFilter, { label }, 'query'));
  expect(select('team=qa')).toEqual({ label: ['team=qa'] });
  expect(select(['team', 'stage='])).toEqual({ label: ['team', 'stage='] });
  for (const wrong of ['', '=qa', 'a=b=c', 'a b', `team=${'v'.repeat(64)}`]) {
    expect(select(wrong), wrong).toContain('must be NAME=VALUE, or NAME for any value');
  }
  expect(select(Array(33).fill('a'))).toContain('must be given at most 32 times');
});
