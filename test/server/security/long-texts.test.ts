import { ComputerName } from '../../../src/contract/index.js';
import { qwenDialect } from '../../../src/fleet/computer-use/dialects/qwen.js';
import { uiTarsDialect } from '../../../src/fleet/computer-use/dialects/ui-tars.js';
import { promise } from '../../support/run/promise.js';

/** The longest item of a model's turn: a reader of quadratic time would exceed the time limit. */
const ITEM = 200_000;
const filled = (part: string, length: number) => part.repeat(length / part.length);

promise(29, 'long texts of clients are refused in little processor time', (report) => {
  const texts = [
    ['a name', () => ComputerName.safeParse(filled('\u0300', 3_000_000)).data],
    ['beginnings of calls', () => qwenDialect.read(filled('<tool_call>', ITEM))],
    ['ends of calls', () => qwenDialect.read(filled('</tool_call>', ITEM))],
    ['brackets', () => uiTarsDialect.read(`Action: ${filled('(', ITEM - 20)}`)],
    ['quotes', () => uiTarsDialect.read(`Action: click(${filled("a='", ITEM - 20)})`)],
    ['spaces', () => uiTarsDialect.read(`Action: type(content='${filled("' ", ITEM - 40)}')`)],
    ['returns', () => uiTarsDialect.read(`${filled('\r', ITEM - 20)}x Action: wait()`)],
    ['separators', () => uiTarsDialect.read(`${filled('\u2028', ITEM - 20)}x Action: wait()`)],
    ['lines', () => uiTarsDialect.read(`${filled('\n', ITEM - 20)}Action: wait()`)],
    ['words', () => uiTarsDialect.read(`Action: click(${filled('a', ITEM - 20)})`)],
  ] as const;
  const slowest = Math.max(
    ...texts.map(([, read]) => {
      const before = process.cpuUsage();
      read();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );
  report(`${Math.round(slowest)} ms`);
});
