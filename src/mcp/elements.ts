import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer } from '../contract/types/index.js';
import type { Computer } from './computers.js';
import type { Service } from './service.js';

/** Elements in a list: a model reads a line for each. */
const MOST = 250;
/** Characters of a name or value in a line. */
const MOST_CHARACTERS = 120;

type Element = Answer<'getElements'>['elements'][number];

/** The elements on the screen as content of a result, with boxes in pixels of the picture. */
export async function listElements(
  service: Service,
  { id }: Computer,
  scale: number,
  signal: AbortSignal | undefined,
): Promise<CallToolResult['content']> {
  const { elements, truncated } = await service.request('getElements', {
    params: { id },
    query: { limit: MOST },
    ...(signal && { signal }),
  });
  const head = 'Elements: id, role, box as x,y,width,height, "name", = "value", states.';
  const lines = elements.map((element) => lineOf(element, scale));
  const end = truncated ? ['There are more.'] : [];
  return [{ type: 'text', text: [head, ...lines, ...end].join('\n') }];
}

function lineOf({ id, role, name, value, states, box }: Element, scale: number): string {
  const words = [id, role, box.map((each) => Math.round(each * scale)).join(','), quoted(name)];
  if (value !== undefined) words.push('=', quoted(value));
  if (states.length > 0) words.push(states.join(','));
  return words.join(' ');
}

/** A text of a program as one string of JSON, so that it is not taken for another line. */
function quoted(text: string): string {
  const cut = text.length > MOST_CHARACTERS;
  return JSON.stringify(cut ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…` : text);
}
