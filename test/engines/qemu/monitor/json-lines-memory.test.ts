// @module-tag slow
import { expect } from 'vitest';
import { JsonLineReader } from '../../../../src/engines/qemu/monitor/json-lines.js';
import { promise } from '../../../support/run/promise.js';

promise(29, 'a line of JSON in tiny pieces takes no more memory than its bytes', (report) => {
  const messages: unknown[] = [];
  const reader = new JsonLineReader(1 << 20, (message) => messages.push(message));
  const line = Buffer.from(`{"a":"${'x'.repeat(1_000_000)}"}\n`);
  const { heapUsed, external } = process.memoryUsage();
  for (let at = 0; at < line.length - 1; at++) reader.read(Buffer.from(line.subarray(at, at + 1)));
  const now = process.memoryUsage();
  const bytes = now.heapUsed + now.external - heapUsed - external;
  reader.read(line.subarray(-1));
  expect(messages).toHaveLength(1);
  report(`a line of 1 MB: ${Math.round(bytes / 1e6)} MB`);
  expect(bytes).toBeLessThan(80e6);
});
