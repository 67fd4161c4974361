import { expect, it } from 'vitest';
import { ViewCommand } from '../../src/contract/sockets/view.js';
import { isComposed, partsOf, typed } from '../../src/dashboard/view/keys.js';

it('leaves the keys of input methods and dead keys to the browser', () => {
  const isLeft = (key: string, keyCode = 0, isComposing = false) =>
    isComposed({ key, keyCode, isComposing });
  expect(['a', 'Enter', 'é', 'Tab'].map((key) => isLeft(key))).toEqual(Array(4).fill(false));
  expect(['Dead', 'Process', 'Unidentified'].map((key) => isLeft(key))).toEqual(
    Array(3).fill(true),
  );
  expect([isLeft('a', 229), isLeft('Enter', 13, true)]).toEqual([true, true]);
});

it('takes the text behind what stands in the field, and notices when that is deleted', () => {
  expect(typed('\u00a0你好')).toEqual({ text: '你好', deletes: false });
  expect(typed('\u00a0')).toEqual({ text: '', deletes: false });
  expect(typed('')).toEqual({ text: '', deletes: true });
  expect(typed('👍')).toEqual({ text: '👍', deletes: false });
});

it('a long text is sent in parts that the service takes', () => {
  const text = `a${'😀'.repeat(1200)}`;
  const parts = partsOf(text);
  expect(parts.join('')).toBe(text);
  for (const part of parts) {
    expect(ViewCommand.safeParse({ type: 'text', text: part }).success).toBe(true);
  }
  expect(partsOf('')).toEqual([]);
});
