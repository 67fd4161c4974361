import { parse } from 'junit2json';
import { expect, it } from 'vitest';
import { junit } from '../../../src/cli/run/junit.js';
import type { Result } from '../../../src/cli/run/results.js';

const result = (name: string, status: Result['status'], message: string): Result => ({
  ...{ name, status, message, exit_code: 0, seconds: 1.5 },
  started_at: '2026-01-02T03:04:05.000Z',
  directory: `out/${name}`,
});

/** What XML cannot have is replaced. */
const MESSAGE = `"a" < b & c > 'd'\n\u0001\u{1f600}\ud800 ]]>`;
const MESSAGE_READ = `"a" < b & c > 'd'\n\ufffd\u{1f600}\ufffd ]]>`;

it('is read by a reader of JUnit, whatever characters a message has', async () => {
  const results = [
    result('one', 'passed', ''),
    result('two', 'failed', MESSAGE),
    result('three', 'error', 'gone'),
  ];
  const read = await parse(junit('a & b', results));
  expect(read).toMatchObject({
    ...{ name: 'a & b', tests: 3, failures: 1, errors: 1, time: 4.5 },
    testsuite: [
      {
        testcase: [
          { name: 'one', classname: 'a & b', time: 1.5 },
          {
            name: 'two',
            failure: [{ message: MESSAGE_READ }],
          },
          { name: 'three', error: [{ message: 'gone' }] },
        ],
      },
    ],
  });
});
