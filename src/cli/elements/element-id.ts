import { ELEMENT_ID } from '../../contract/constants.js';
import type { Element } from '../../contract/types/index.js';
import { CliError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { wantedElement } from '../input/conditions.js';
import { inCommands } from '../targets/computer-address.js';
import { onComputer } from '../targets/computers.js';

/** The id of the element that a user gave as an id, `ROLE:NAME` or a text in its name or value. */
export async function elementId(context: Context, computer: string, text: string): Promise<string> {
  if (ELEMENT_ID.test(text)) return text;
  const { elements } = await onComputer(context, 'findElements', computer, wantedElement(text));
  const exact = elements.filter(({ name }) => name === text);
  const [found, another] = exact.length > 0 ? exact : elements;
  const name = inCommands(context, computer);
  if (found === undefined) {
    throw new CliError(`no element on the screen matches ${JSON.stringify(text)}`, {
      remedy: `see: vc computer elements ${name}`,
      code: 'not_found',
    });
  }
  if (another !== undefined) {
    throw new CliError(`several elements match ${JSON.stringify(text)}`, {
      remedy: `give ROLE:NAME or an id; see: vc computer elements ${name}`,
      code: 'invalid_request',
    });
  }
  return found.id;
}

/** The only place of a text: an element that has it or, if none has, the text itself. */
export async function placeOfText(
  context: Context,
  command: 'click' | 'move',
  computer: string,
  text: string,
): Promise<Element> {
  const { elements } = await onComputer(context, 'findElements', computer, { text });
  const exact = elements.filter(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
  const places = innermost(exact.length > 0 ? exact : elements);
  const [found, another] = places;
  const name = inCommands(context, computer);
  const what = JSON.stringify(text);
  if (found === undefined) {
    throw new CliError(`the text ${what} is not on the screen`, {
      remedy: `see: vc screenshot ${name}; or wait for it: vc wait ${name} --text TEXT`,
      code: 'not_found',
    });
  }
  if (another !== undefined) {
    const shown = places.slice(0, MOST_PLACES).map((each) => middle(each).join(','));
    const more = places.length > MOST_PLACES ? ` and ${places.length - MOST_PLACES} more` : '';
    throw new CliError(`${what} is at ${places.length} places: ${shown.join(' ')}${more}`, {
      remedy: `give one of them: vc ${command} ${name} ${shown[0]}; see: vc find ${name} TEXT`,
      code: 'invalid_request',
    });
  }
  return found;
}

/** Places in an error. */
const MOST_PLACES = 5;

/** Without those that have another in them, such as the button of a label. */
function innermost(elements: readonly Element[]): Element[] {
  return elements.filter(
    (outer, at) =>
      !elements.some((inner, index) => {
        const isSame = inner.box.join() === outer.box.join();
        return index !== at && contains(outer.box, inner.box) && (!isSame || index > at);
      }),
  );
}

function contains([x, y, width, height]: Element['box'], [left, top, w, h]: Element['box']) {
  return x <= left && y <= top && left + w <= x + width && top + h <= y + height;
}

export function middle({ box: [x, y, width, height] }: Element): [number, number] {
  return [x + Math.floor(width / 2), y + Math.floor(height / 2)];
}
