import type { Element, FindElements } from '../../contract/actions/actions.js';
import { composed } from '../../lib/text/composed.js';

type Conditions = Pick<FindElements, 'text' | 'role' | 'name'>;

/** Whether all given conditions hold for an element. Case does not matter, nor does space around. */
export function matcher(wanted: Conditions): (element: Element) => boolean {
  const text = folded(wanted.text ?? '');
  const wantedName = wanted.name === undefined ? undefined : folded(wanted.name);
  const words = folded(wanted.role ?? '').split(/[\s_-]+/);
  const role = words[0] === '' ? '' : ` ${words.join(' ')} `;
  return (element) => {
    const { name, value } = textsOf(element);
    return (
      (wantedName === undefined || name === wantedName) &&
      (name.includes(text) || value.includes(text)) &&
      ` ${element.role} `.includes(role)
    );
  };
}

interface Texts {
  readonly name: string;
  readonly value: string;
}

/** Of the elements of one list, which many requests may share. */
const known = new WeakMap<Element, Texts>();

function textsOf(element: Element): Texts {
  const texts = known.get(element) ?? {
    name: folded(element.name),
    value: folded(element.value ?? ''),
  };
  known.set(element, texts);
  return texts;
}

const folded = (text: string): string => composed(text.trim()).toLowerCase();
