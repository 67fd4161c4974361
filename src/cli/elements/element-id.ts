import { ELEMENT_ID } from '../../contract/constants.js';
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
