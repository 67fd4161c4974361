import type { Result } from './results.js';

/** The results as JUnit XML, which CI systems read. */
export function junit(name: string, results: readonly Result[]): string {
  const count = (status: Result['status']) => results.filter((one) => one.status === status).length;
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0);
  const totals = attributes({
    name,
    tests: results.length,
    failures: count('failed'),
    errors: count('error'),
    time: seconds.toFixed(3),
  });
  const cases = results.map((result) => {
    const { status, message, directory } = result;
    const element = status === 'failed' ? 'failure' : 'error';
    const end = status === 'passed' ? '' : `<${element}${attributes({ message })}/>`;
    const given = { name: result.name, classname: name, time: result.seconds.toFixed(3) };
    return `    <testcase${attributes(given)}>${end}<system-out>${escaped(directory)}</system-out></testcase>\n`;
  });
  const time = attributes({ timestamp: results[0]?.started_at ?? '' });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${totals}>\n  <testsuite${totals}${time}>\n${cases.join('')}  </testsuite>\n</testsuites>\n`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

/** Characters that XML 1.0 does not have, as references either. */
const IMPOSSIBLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function escaped(text: string): string {
  return text
    .replace(IMPOSSIBLE, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
