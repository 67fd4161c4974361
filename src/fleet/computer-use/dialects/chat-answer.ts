import type { Item, Outcome } from '../actions.js';

/** A result as messages of a chat, for models without result items of their own. */
export function chatAnswer(id: string | undefined, { state, text, picture }: Outcome): Item[] {
  const why = state === 'skipped' ? 'Not executed: an earlier call in this turn failed.' : text;
  const url = picture && `data:${picture.mediaType};base64,${picture.data}`;
  const content = [
    ...(why === undefined && url !== undefined ? [] : [{ type: 'text', text: why || 'OK' }]),
    ...(url === undefined ? [] : [{ type: 'image_url', image_url: { url } }]),
  ];
  return [
    id === undefined ? { role: 'user', content } : { role: 'tool', tool_call_id: id, content },
  ];
}
