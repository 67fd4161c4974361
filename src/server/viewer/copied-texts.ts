import { ViewCommand } from '../../contract/sockets/view.js';
import { textBeyond } from '../../lib/json/bounds.js';
import { parseJson } from '../../lib/json/parse.js';
import type { Viewer } from '../../vnc-server/viewer.js';

/** A command has two fields, of which one may be long. */
const BOUNDS = { levels: 2, values: 16, fields: 16, allFields: 16 } as const;

/** Takes a message with a text for the computer's clipboard. */
export function takeCopiedText(viewer: Viewer, message: Buffer): void {
  const text = message.toString();
  if (textBeyond(text, BOUNDS) !== undefined) return;
  const command = ViewCommand.safeParse(parseJson(text));
  if (command.success) viewer.copy(command.data.text);
}
