import { expect, test } from 'vitest';
import { Documented } from '../support/service/requests/documented.js';

const documented = new Documented();
const answer = {
  ...{ method: 'GET', path: '/api/projects', status: 200, type: 'application/json', hasId: true },
  body: { projects: [] as unknown[] },
};

test('answers that are as the OpenAPI document says pass', () => {
  expect(documented.complaint(answer)).toBeUndefined();
  const refused = { ...answer, status: 401, code: 'unauthorized', body: { error: 'x' } };
  expect(documented.complaint(refused)).toBeUndefined();
  expect(documented.complaint({ ...answer, path: '/api/nothing', status: 404 })).toBeUndefined();
  const picture = { ...answer, path: '/api/computers/cmp_1/screenshot', type: 'image/png' };
  expect(documented.complaint({ ...picture, body: undefined })).toBeUndefined();
});

test.each([
  ['another status', { status: 202 }, /status is not documented/],
  ['a code of another status', { status: 401, code: 'internal' }, /code internal is not listed/],
  ['an error without a code', { status: 404 }, /not documented|not listed/],
  ['another type', { type: 'text/plain' }, /"text\/plain" is not documented/],
  ['no request id', { hasId: false }, /x-request-id/],
  ['a field that is missing', { body: {} }, /must have required property 'projects'/],
  ['a field that is not listed', { body: { projects: [], x: 1 } }, /additional properties/],
  ['a value of another type', { body: { projects: [1] } }, /projects\/0 must be object/],
])('%s is reported', (_, change, complaint) => {
  expect(documented.complaint({ ...answer, ...change })).toMatch(complaint);
});
