import { z } from 'zod';
import { flag, oneOfWords, Timestamp, text } from '../primitives.js';

/*
 * The browser of a computer, for programs that speak the Chrome DevTools Protocol: `GET C/cdp`, with
 * the key in `Authorization` or a ticket of `POST C/browser` in the address. The messages are those
 * of Chromium itself.
 */

/** Options that the service sets itself. */
const RESERVED = /^--?(remote-debugging-(port|pipe|address)|user-data-dir)(=|$)/;

export const BrowserProfile = oneOfWords(['kept', 'temporary']);
export type BrowserProfile = z.infer<typeof BrowserProfile>;

export const OpenBrowser = z
  .object({
    url: text(8192)
      .refine((value) => /^(https?|file|data|about|chrome|blob):/i.test(value), {
        message: 'must begin with http:, https:, file:, data: or about:',
      })
      .optional()
      .meta({ description: 'Page that is opened in a tab.', examples: ['https://example.com'] }),
    args: z
      .array(
        text(4096)
          .refine((value) => /^--?[a-z]/i.test(value) && !value.includes('\0'), {
            message: 'must be an option of Chromium, such as --lang=de',
          })
          .refine((value) => !RESERVED.test(value), {
            message: 'must not set the debugging port or the profile, which the service does',
          }),
        { error: 'must be a list of options' },
      )
      .max(64, 'must have at most 64 options')
      .default([])
      .meta({
        description:
          'Options of Chromium. Only for a browser that is started: error `conflict` if it runs already.',
        examples: [['--lang=de']],
      }),
    profile: BrowserProfile.default('kept').describe(
      '`kept`: one browser with one profile, which stays. `temporary`: a browser with an empty profile; both end with the connection.',
    ),
  })
  .meta({ id: 'OpenBrowser', description: 'How the browser is started.' });

export const Browser = z
  .object({
    ws_url: z.string().meta({
      description:
        'Address for one connection of a client of the Chrome DevTools Protocol, which needs no key.',
      examples: ['ws://127.0.0.1:4700/api/computers/cmp_7f3k2m9q4w8e1r6t5y0b/cdp?ticket=vt_0123'],
    }),
    expires_at: Timestamp.describe('Until when it can be used.'),
    started: flag().describe('False if the browser was running already.'),
  })
  .meta({ id: 'Browser', description: 'Where a client of the browser connects.' });
export type Browser = z.infer<typeof Browser>;

export const CdpQuery = z.object({
  ticket: z
    .string()
    .max(100)
    .optional()
    .describe('The ticket of `POST C/browser`, in place of the key.'),
});

const line = (example: string, description: string) =>
  z.string().meta({ description, examples: [example] });

/** What clients that are given an http address ask for first; the names are Chromium's. */
export const BrowserVersion = z
  .object({
    Browser: line('Chrome/148.0.7778.96', 'Name and version.'),
    'Protocol-Version': line('1.3', 'Version of the protocol.'),
    'User-Agent': line('Mozilla/5.0 …', 'What the browser sends to servers.'),
    'V8-Version': line('14.8.178.14', 'Version of the JavaScript engine.'),
    'WebKit-Version': line('537.36 (@0000000)', 'Version of the rendering engine.'),
    webSocketDebuggerUrl: line(
      'ws://127.0.0.1:4700/api/computers/cmp_7f3k2m9q4w8e1r6t5y0b/cdp?ticket=vt_0123',
      'Address for one connection, within a minute.',
    ),
  })
  .meta({ id: 'BrowserVersion', description: 'The browser, as Chromium describes it.' });
export type BrowserVersion = z.infer<typeof BrowserVersion>;
