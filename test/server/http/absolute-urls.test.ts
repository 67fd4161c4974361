import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { baseUrl, socketUrl } from '../../../src/server/http/absolute-urls.js';

const request = (headers: Readonly<Record<string, string>>) =>
  ({ headers, server: { prefix: '/api' } }) as unknown as FastifyRequest;

it.each([
  [{ host: '127.0.0.1:4700' }, 'http://127.0.0.1:4700/api'],
  [{ host: '[::1]:4700' }, 'http://[::1]:4700/api'],
  [
    { host: 'vc.example.com', 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/team/vc' },
    'https://vc.example.com/team/vc/api',
  ],
  [{ host: '[2001:db8::1]', 'x-forwarded-proto': 'https' }, 'https://[2001:db8::1]/api'],
])('addresses of an answer to %j can be reached', (headers, base) => {
  expect(baseUrl(request(headers))).toBe(base);
  expect(socketUrl(request(headers), '/x')).toBe(`${base.replace(/^http/, 'ws')}/x`);
});

it.each([
  'vc',
  '/',
  '//evil.example.com',
  '/a/../b',
  '/a?b',
  '/a"b',
  '/<b>',
  `/${'a'.repeat(300)}`,
])('ignores the prefix %j', (prefix) => {
  const headers = { host: 'localhost', 'x-forwarded-prefix': prefix };
  expect(baseUrl(request(headers))).toBe('http://localhost/api');
});
