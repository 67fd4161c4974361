import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { request } from '../../src/dashboard/app/api/http.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const notFound = () =>
  Response.json({ error: 'There is none.' }, { status: 404, headers: { 'x-error-code': 'none' } });

/** A service that gets the first `lost` requests, and whose answers to them are lost. */
function loseAnswers(lost: number): void {
  let sent = 0;
  vi.stubGlobal('fetch', async () => {
    sent += 1;
    if (sent <= lost) throw new TypeError('ERR_NETWORK_CHANGED');
    return notFound();
  });
}

async function outcome(method: 'GET' | 'DELETE'): Promise<unknown> {
  const answer = request(method, '/keys/key_1').then(
    (response) => response.json(),
    ({ status }) => status,
  );
  await vi.runAllTimersAsync();
  return answer;
}

it('what a lost request has deleted is deleted', async () => {
  loseAnswers(1);
  expect(await outcome('DELETE')).toEqual({ success: true });
});

it('what is not there at the first request cannot be deleted, nor read at a later one', async () => {
  loseAnswers(0);
  expect(await outcome('DELETE')).toBe(404);
  loseAnswers(1);
  expect(await outcome('GET')).toBe(404);
});
