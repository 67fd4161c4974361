import { act, input, look, manage } from '../access/rights.js';
import { FileWritten, ReadFileQuery, WriteFileQuery } from '../files.js';
import { BuildLine, BuildQuery } from '../resources/images.js';
import { BrowserVersion, CdpQuery } from '../sockets/browser.js';
import { ProcessControl, ProcessEvent, ProcessStart } from '../sockets/process.js';
import { TunnelMessage, TunnelQuery } from '../sockets/tunnel.js';
import { WallMessage, WallQuery } from '../sockets/wall.js';
import { BYTES, type ByteStream, computerPaths, etagHeader, requestHeader } from './operation.js';

const bytes = { 'application/octet-stream': { schema: BYTES } };

/** Transfers of bytes and WebSockets. */
export const byteStreams = {
  readFile: {
    method: 'GET',
    paths: computerPaths('/files'),
    tag: 'Files',
    summary: "Get a file's bytes",
    description: 'Only regular files can be read. A transfer slower than 2 KiB/s is aborted.',
    access: act.project,
    audit: 'cp (read)',
    query: ReadFileQuery,
    etag: true,
    requestHeaders: [
      requestHeader(
        'Range',
        'A part of the file: answers 206. Several ranges are ignored.',
        'bytes=0-1023',
      ),
      requestHeader(
        'If-Range',
        'The `etag` or `last-modified` of an earlier answer: without effect on an unchanged file; of a changed one the whole file is answered.',
        '"7f3k2m9q"',
      ),
    ],
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
        'accept-ranges': {
          description: '`none` for a file without a size.',
          schema: { type: 'string', enum: ['bytes', 'none'] },
        },
      },
      content: bytes,
    },
    partial: {
      description: 'The requested part of the file.',
      headers: {
        'content-range': {
          description: 'Which bytes of how many.',
          schema: { type: 'string', examples: ['bytes 0-1023/2048'] },
        },
        etag: etagHeader,
      },
      content: bytes,
    },
  },
  writeFile: {
    method: 'PUT',
    paths: computerPaths('/files'),
    tag: 'Files',
    summary: 'Write a file',
    description:
      'The body is the content, of any type and size. It replaces the file at once when it has arrived whole; an interrupted upload changes nothing. A transfer slower than 2 KiB/s is aborted.',
    access: act.project,
    audit: 'cp (write)',
    query: WriteFileQuery,
    requestBody: { required: true, content: bytes },
    response: FileWritten,
  },
  process: {
    method: 'GET',
    paths: computerPaths('/process'),
    tag: 'Commands',
    summary: 'Run a process and connect its streams (WebSocket)',
    description:
      'The first message of the client is text, a `ProcessStart`. Binary messages carry bytes: the first byte is the stream (0 standard input, 1 standard output, 2 standard error), the rest the data. Text messages are JSON: a `ProcessControl` of the client, a `ProcessEvent` of the service, which is its last message. When the client closes first, the process group is ended.',
    access: act.project,
    audit: 'exec',
    messages: { client: [ProcessStart, ProcessControl], service: [ProcessEvent] },
  },
  tunnel: {
    method: 'GET',
    paths: computerPaths('/tunnel'),
    tag: 'Network',
    summary: "Connect to a port on the computer's loopback (WebSocket)",
    description:
      'Text messages are JSON, a `TunnelMessage`. The first one of the service is `open`, or `error` if nothing listens. After it, binary messages of either side are the bytes of the connection. `end` half-closes the side of its sender. The service closes when both sides have ended.',
    access: act.project,
    audit: 'forward',
    query: TunnelQuery,
    messages: { client: [TunnelMessage], service: [TunnelMessage] },
  },
  cdp: {
    method: 'GET',
    paths: computerPaths('/cdp'),
    tag: 'Browser',
    summary: 'Connect to the browser (WebSocket)',
    description:
      'Starts Chromium if it does not run. The messages are those of the Chrome DevTools Protocol, unchanged. A ticket of `openBrowser` in the address replaces the key. When the browser ends, the service closes with the code 1001.',
    access: input,
    audit: 'cdp (connected)',
    query: CdpQuery,
    messages: { client: [], service: [] },
  },
  cdpVersion: {
    method: 'GET',
    paths: computerPaths('/cdp/json/version'),
    tag: 'Browser',
    summary: 'Describe the browser',
    description:
      'For clients that are given the http address of `cdp` and ask for its WebSocket. Starts Chromium if it does not run.',
    access: input,
    response: BrowserVersion,
  },
  buildImage: {
    method: 'POST',
    paths: ['/images/:image/build'],
    tag: 'Images',
    summary: 'Build an image from a Dockerfile',
    description:
      'The body is a tar archive of the context, not compressed, of at most 2 GiB. The answer is the progress, a line every 15 s at least (empty if there is nothing to report), and begins with the first step: errors before it are answered as usual. The steps run in computers of the owner, in a project that exists as long as the build; they count against its limits. The image replaces one of the same name. When the client disconnects, the build ends and leaves nothing but the cache of its finished steps.',
    access: manage.owner,
    audit: 'image build',
    query: BuildQuery,
    requestHeaders: [
      requestHeader(
        'X-VC-Build-Secret',
        'Secrets for `RUN --mount=type=secret`, each `ID=BASE64`, separated by commas; at most 12 KiB in all. They are in no layer, log or list.',
        'npm=c2VjcmV0',
      ),
    ],
    requestBody: { required: true, content: { 'application/x-tar': { schema: BYTES } } },
    lines: BuildLine,
  },
  wall: {
    method: 'GET',
    paths: ['/wall'],
    tag: 'Computers',
    summary: 'Follow all computers and their pictures (WebSocket)',
    description:
      'The client sends nothing. The first message is the list of all computers that the key may see; then comes each change. With `pictures`, binary messages bring the first thumbnails. `seq` grows when the picture of a screen changes, within a few seconds: the time to get another thumbnail.',
    access: look.project,
    query: WallQuery,
    messages: { client: [], service: [WallMessage] },
  },
  mcp: {
    method: 'POST',
    paths: ['/mcp'],
    tag: 'Service',
    summary: 'Serve the tools of the Model Context Protocol',
    // Each tool needs the right of its operation.
    access: look.project,
    isHidden: true,
  },
} as const satisfies Readonly<Record<string, ByteStream>>;
