import type { Element, FindElements } from '../../contract/actions/actions.js';

type Conditions = Pick<FindElements, 'text' | 'role' | 'name'>;

/** Whether all given conditions hold for an element. Case does not matter, nor does space around. */
export function matches({ role, name, value = '' }: Element, wanted: Conditions): boolean {
  const text = folded(wanted.text ?? '');
  const words = folded(wanted.role ?? '').split(/[\s_-]+/);
  return (
    (wanted.name === undefined || folded(name) === folded(wanted.name)) &&
    (folded(name).includes(text) || folded(value).includes(text)) &&
    ` ${role} `.includes(words[0] === '' ? '' : ` ${words.join(' ')} `)
  );
}

const folded = (text: string): string => text.trim().normalize('NFC').toLowerCase();
