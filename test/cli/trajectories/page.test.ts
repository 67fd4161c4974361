import { expect, test } from 'vitest';
import { pageOf } from '../../../src/cli/trajectories/page.js';
import type { Step } from '../../../src/cli/trajectories/read.js';

const step: Step = {
  ...{ step: 1, at: 0.5, took: 0.1, outcome: 'ok', before: 'pictures/0001.png', after: null },
  action: { action: 'click', x: 64, y: 40 },
};
const pageWith = (change: Partial<Step>) =>
  pageOf({
    directory: '',
    snapshots: new Map(),
    screen: { width: 640, height: 400 },
    steps: [{ ...step, ...change }],
  });

test('shows each step with its pictures and the place of a click', () => {
  const page = pageWith({});
  expect(page).toContain('<h2>1. click at 0.5 s</h2>');
  expect(page).toContain('<img src="pictures/0001.png" alt="before"');
  expect(page).toContain('<i style="left:10.00%;top:10.00%"></i>');
  expect(page.match(/<img /g)).toHaveLength(1);
  expect(pageWith({ outcome: 'off_screen' })).toContain('click at 0.5 s, off_screen');
});

test('what a guest or a model wrote is no markup, and the page runs no script', () => {
  const text = '</pre><script>alert(1)</script><img src=x onerror=alert(1)>';
  for (const change of [
    { action: { action: 'type', text } },
    { action: { action: text } },
    { outcome: text },
  ]) {
    const page = pageWith(change);
    expect(page).not.toMatch(/<script|<img src=x/);
    expect(page).toContain('&lt;script&gt;');
    expect(page).toContain("default-src 'none'");
  }
});
