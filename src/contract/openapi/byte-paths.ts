import type { z } from 'zod';
import { FileWritten, ReadFileQuery, WriteFileQuery } from '../files.js';
import {
  CDP_PATHS,
  CDP_VERSION_PATHS,
  FILE_PATHS,
  type Method,
  PROCESS_PATHS,
  TUNNEL_PATHS,
} from '../routes.js';
import { BrowserVersion, CdpQuery } from '../sockets/browser.js';
import { ProcessControl, ProcessEvent, ProcessStart } from '../sockets/process.js';
import { TunnelMessage, TunnelQuery } from '../sockets/tunnel.js';
import { WALL_PATH, WallMessage } from '../sockets/wall.js';
import type { Tag } from './descriptions.js';
import type { Json } from './schemas.js';

/** A path that is no operation: its body, its answer or both are not JSON. */
export interface BytePath {
  readonly method: Method;
  readonly paths: readonly [string, ...string[]];
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodType;
  readonly body?: Json;
  readonly response?: z.ZodType;
  readonly success?: Json;
  /** Messages of a WebSocket, by sender. */
  readonly messages?: Readonly<Record<'client' | 'service', readonly z.ZodType[]>>;
}

export const BYTES: Json = { type: 'string', format: 'binary' };

export const bytePaths: Readonly<Record<string, BytePath>> = {
  readFile: {
    method: 'GET',
    paths: FILE_PATHS,
    tag: 'Files',
    summary: "Get a file's bytes",
    description: 'Only regular files can be read. A transfer slower than 2 KiB/s is aborted.',
    query: ReadFileQuery,
    success: {
      description: 'The content of the file.',
      headers: {
        'x-file-mode': {
          description: 'Permissions in octal, four digits.',
          schema: { type: 'string', examples: ['0644'] },
        },
        'last-modified': {
          description: 'When the content was changed last, as an HTTP date.',
          schema: { type: 'string', examples: ['Sun, 22 Nov 2026 11:03:07 GMT'] },
        },
        'content-length': {
          description: 'Bytes. Absent for files that have no size, such as those of `/proc`.',
          schema: { type: 'integer', examples: [1024] },
        },
      },
      content: { 'application/octet-stream': { schema: BYTES } },
    },
  },
  writeFile: {
    method: 'PUT',
    paths: FILE_PATHS,
    tag: 'Files',
    summary: 'Write a file',
    description:
      'The body is the content, of any type and size. It replaces the file at once when it has arrived whole; an interrupted upload changes nothing. A transfer slower than 2 KiB/s is aborted.',
    query: WriteFileQuery,
    body: { required: true, content: { 'application/octet-stream': { schema: BYTES } } },
    response: FileWritten,
  },
  process: {
    method: 'GET',
    paths: PROCESS_PATHS,
    tag: 'Commands',
    summary: 'Run a process and connect its streams (WebSocket)',
    description:
      'The first message of the client is text, a `ProcessStart`. Binary messages carry bytes: the first byte is the stream (0 standard input, 1 standard output, 2 standard error), the rest the data. Text messages are JSON: a `ProcessControl` of the client, a `ProcessEvent` of the service, which is its last message. When the client closes first, the process group is ended.',
    messages: { client: [ProcessStart, ProcessControl], service: [ProcessEvent] },
  },
  tunnel: {
    method: 'GET',
    paths: TUNNEL_PATHS,
    tag: 'Network',
    summary: "Connect to a port on the computer's loopback (WebSocket)",
    description:
      'Text messages are JSON, a `TunnelMessage`. The first one of the service is `open`, or `error` if nothing listens. After it, binary messages of either side are the bytes of the connection. `end` half-closes the side of its sender. The service closes when both sides have ended.',
    query: TunnelQuery,
    messages: { client: [TunnelMessage], service: [TunnelMessage] },
  },
  cdp: {
    method: 'GET',
    paths: CDP_PATHS,
    tag: 'Browser',
    summary: 'Connect to the browser (WebSocket)',
    description:
      'Starts Chromium if it does not run. The messages are those of the Chrome DevTools Protocol, unchanged. A ticket of `openBrowser` in the address replaces the key. When the browser ends, the service closes with the code 1001.',
    query: CdpQuery,
    messages: { client: [], service: [] },
  },
  cdpVersion: {
    method: 'GET',
    paths: CDP_VERSION_PATHS,
    tag: 'Browser',
    summary: 'Describe the browser',
    description:
      'For clients that are given the http address of `cdp` and ask for its WebSocket. Starts Chromium if it does not run.',
    response: BrowserVersion,
  },
  wall: {
    method: 'GET',
    paths: [WALL_PATH],
    tag: 'Computers',
    summary: 'Follow all computers and their pictures (WebSocket)',
    description:
      'The client sends nothing. The first message is the list of all computers that the key may see; then comes each change. `seq` grows when the picture of a screen changes, within a few seconds: the time to get another thumbnail.',
    messages: { client: [], service: [WallMessage] },
  },
};
