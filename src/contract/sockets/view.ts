import { z } from 'zod';
import { oneOfWords, Timestamp, upTo } from '../primitives.js';
import { Control } from '../resources/control.js';

export const ViewMode = oneOfWords(['view', 'control']);

/** `view` only shows the screen; `control` also takes the viewer's mouse and keyboard. */
export const CreateView = z
  .object({
    mode: ViewMode.default('control').describe(
      "`view` only shows the screen; `control` also takes the viewer's mouse and keyboard.",
    ),
  })
  .meta({ id: 'CreateView', description: 'What the link allows.' });

/**
 * A link to the live view. It opens once, until `expires_at`, for one computer and in one mode.
 * The ticket is in the fragment, which browsers do not send to servers.
 */
export const View = z
  .object({
    url: z.string().meta({
      description: 'The link; it opens once. The ticket is in the fragment.',
      examples: ['http://127.0.0.1:4700/api/view/cmp_7f3k2m9q4w8e1r6t5y0b#vt_0123456789'],
    }),
    expires_at: Timestamp.describe('Until when it can be opened.'),
  })
  .meta({ id: 'View', description: 'A single-use link to the live view.' });

/** Where the pages of the live view are, relative to the base address; they need no key. */
export const VIEW_PATHS = {
  page: '/view/:id',
  socket: '/view/:id/socket',
  sound: '/view/:id/sound',
  assets: '/view/assets/*',
} as const;

/** Address of a computer's live view, relative to the base address, without a ticket. */
export function viewPath(computerId: string): string {
  return `/view/${computerId}`;
}

/**
 * The live view's WebSocket: the first message of the page, which has to come within 10 s.
 * From `ready` on, binary messages carry RFB 3.8, and text messages are {@link ViewEvent}s of the
 * service and {@link ViewCommand}s of the page.
 */
export const ViewOpening = z.object({ ticket: z.string().max(100) });

export const ViewEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), mode: ViewMode, name: z.string() }),
  /** A text was copied in the computer. Only in mode `control`. */
  z.object({ type: z.literal('clipboard'), text: z.string() }),
  /** Who has control: after `ready`, and when it is taken or ends. `is_mine`: this viewer has it. */
  z.object({ type: z.literal('control'), control: Control.nullable(), is_mine: z.boolean() }),
  /** The answer to `sound`: the ticket for {@link VIEW_PATHS}.sound. */
  z.object({ type: z.literal('sound'), ticket: z.string() }),
  /** The last message: why the view ends, in one line for a person. */
  z.object({ type: z.literal('closed'), code: z.string(), reason: z.string() }),
]);

/** Dropped in mode `view`, except for `sound`. */
export const ViewCommand = z.discriminatedUnion('type', [
  /** Asks for the sound of the computer. */
  z.object({ type: z.literal('sound') }),
  /** Puts a text on the computer's clipboard. */
  z.object({ type: z.literal('clipboard'), text: upTo(262_144) }),
  /** Types a text that an input method composed, after the keys that were sent before it. */
  z.object({ type: z.literal('text'), text: upTo(1_000) }),
]);

export type ViewMode = z.infer<typeof ViewMode>;
export type View = z.infer<typeof View>;
export type ViewEvent = z.infer<typeof ViewEvent>;
export type ViewCommand = z.infer<typeof ViewCommand>;
