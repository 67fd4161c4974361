import { expect, test } from 'vitest';
import { parseEndpoint } from '../../../src/shell/browser/endpoint.js';

const PATH = '/devtools/browser/3f0e8f5c-8d5e-4f6b-9a5e-0d9a6f1b2c3d';

test('the script answers whether the browser was started, its port and its path', () => {
  expect(parseEndpoint(`started 40123 ${PATH}\n`)).toEqual({
    port: 40_123,
    path: PATH,
    started: true,
  });
  expect(parseEndpoint(`running 1 ${PATH}`)).toMatchObject({ port: 1, started: false });
});

test.each([
  ['missing', 'unsupported'],
  ['occupied', 'conflict'],
  ['ended', 'guest_failed'],
  ['', 'guest_timeout'],
  [`started 0 ${PATH}`, 'guest_failed'],
  [`started 70000 ${PATH}`, 'guest_failed'],
  ['started 80 /json/version', 'guest_failed'],
  [`started 80 ${PATH} HTTP/1.1`, 'guest_failed'],
  [`started 80 ${PATH}\r\nhost: x`, 'guest_failed'],
  ['\u001b[2J', 'guest_failed'],
])('of %j it says what is wrong', (line, code) => {
  expect(() => parseEndpoint(line)).toThrow(expect.objectContaining({ code }));
});
