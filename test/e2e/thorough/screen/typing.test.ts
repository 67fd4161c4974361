import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());
afterEach(() =>
  desktop.run(
    'pkill -x mousepad; pkill -x xterm; while pgrep -x mousepad; do sleep 0.02; done; rm -f /tmp/typed*',
  ),
);

const MIXED =
  'Grüße, naïve café — Привет, мир! Ж 中文汉字 日本語 한국어 العربية עברית Ελληνικά ½ € “quotes” 👍 👍🏽 👩‍👩‍👧‍👦 🇩🇪 e\u0301 Z̤͔ͧ̑';

const texts: [string, string][] = [
  ['ASCII', 'The quick brown fox jumps over the lazy dog. 0123456789'],
  ['every ASCII symbol', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ aAzZ'],
  ['lines and tabs', 'one\n\ttwo\n\n\tthree'],
  ['é and its decomposed form', 'é e\u0301 ñ ü ß Å'],
  ['Cyrillic', 'Съешь ещё этих мягких французских булок Ж'],
  ['Chinese', '中文輸入測試，漢字。'],
  ['Arabic', 'العربية من اليمين إلى اليسار'],
  ['emoji with joiners', '👍 👍🏽 👩‍👩‍👧‍👦 🇩🇪 ❤️‍🔥'],
  ['all scripts mixed', MIXED],
  [
    'forty distinct characters beyond ASCII',
    [...'абвгдежзийклмнопрстуфхцчшщъыьэюяαβγδεζηθ'].join(''),
  ],
];
describe('text typed into an editor is saved and read back byte for byte', () => {
  it.each(texts)('%s', async (_, text) => {
    await desktop.run('mousepad /tmp/typed.txt >/dev/null 2>&1 &');
    await desktop.until('xdotool search --onlyvisible --class mousepad >/dev/null');
    await desktop.service.http('POST', `/computers/${desktop.id}/wait`, { until: 'stable' });
    const typed = await desktop.service.http('POST', `/computers/${desktop.id}/type`, { text });
    expect(typed.json).toEqual({ success: true });
    await desktop.service.http('POST', `/computers/${desktop.id}/key`, { key: 'ctrl+s' });
    const saved = await eventually(async () => {
      const content = await desktop.run('cat /tmp/typed.txt 2>/dev/null; true');
      return content.length > 0 && content;
    });
    expect(saved.replace(/\n$/, '')).toBe(text);
  });
});

it("the editor of the README's first command takes text again after a signal ended it", async () => {
  const script = readFileSync(
    new URL('../../../../scripts/quickstart.sh', import.meta.url),
    'utf8',
  );
  const [, command = ''] = /'(.*) exec mousepad'/.exec(script) ?? [];
  const titles = [];
  for (let attempt = 0; attempt < 2; attempt++) {
    await desktop.run(`${command} mousepad >/dev/null 2>&1 &`);
    await desktop.until('xdotool search --onlyvisible --class mousepad >/dev/null');
    await desktop.service.http('POST', `/computers/${desktop.id}/wait`, { until: 'stable' });
    await desktop.service.http('POST', `/computers/${desktop.id}/type`, { text: 'Hello' });
    await desktop.service.http('POST', `/computers/${desktop.id}/wait`, { until: 'stable' });
    titles.push(await desktop.run('xdotool search --onlyvisible --class mousepad getwindowname'));
    await desktop.run('pkill -TERM -x mousepad; while pgrep -x mousepad; do sleep 0.02; done');
  }
  // With its stored settings it asks in a dialog whether to restore what was not saved.
  expect(titles.map((title) => title.trim())).toEqual(Array(2).fill('*Untitled 1 - Mousepad'));
});

describe('text typed into a terminal arrives exactly', () => {
  it.each([
    ['500 ASCII characters', 'The quick brown fox 0123456789 '.repeat(17).slice(0, 500)],
    ['500 mixed characters', MIXED.repeat(6).slice(0, 500).toWellFormed()],
  ])('%s', async (_, text) => {
    await desktop.run('xterm -e "stty -icanon; cat > /tmp/typed-term" >/dev/null 2>&1 &');
    await desktop.until(
      'xdotool search --onlyvisible --class xterm >/dev/null && test -e /tmp/typed-term',
    );
    await desktop.service.http('POST', `/computers/${desktop.id}/wait`, { until: 'stable' });
    await desktop.service.http('POST', `/computers/${desktop.id}/type`, { text: `${text}\n` });
    const got = await eventually(async () => {
      const content = await desktop.run('cat /tmp/typed-term');
      return content.endsWith('\n') && content;
    });
    expect(got).toBe(`${text}\n`);
  });
});
