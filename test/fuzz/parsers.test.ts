// @module-tag slow
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { deserializeMessage } from '@modelcontextprotocol/server';
import Fastify from 'fastify';
import { afterAll, expect } from 'vitest';
import { decodeAmf } from '../../src/broadcast/rtmp/amf.js';
import { ChunkReader } from '../../src/broadcast/rtmp/chunk-reader.js';
import { checkPrivateKey } from '../../src/cli/images/import.js';
import { Batch } from '../../src/contract/actions/batch.js';
import { ComputerUse } from '../../src/contract/actions/computer-use.js';
import { DIALECTS } from '../../src/contract/constants.js';
import { ApiError } from '../../src/contract/errors.js';
import { ProcessControl, ProcessStart } from '../../src/contract/sockets/process.js';
import { TunnelMessage } from '../../src/contract/sockets/tunnel.js';
import { ViewCommand, ViewOpening } from '../../src/contract/sockets/view.js';
import { FrameReader } from '../../src/engines/containers/machine/frames.js';
import { JsonLineReader } from '../../src/engines/qemu/monitor/json-lines.js';
import { firstFile, readTar } from '../../src/engines/tar.js';
import { readTurn } from '../../src/fleet/computer-use/dialects/index.js';
import { parseJson } from '../../src/lib/json/parse.js';
import { checkedMessages } from '../../src/mcp/checked-messages.js';
import { ProfileStore } from '../../src/profile/store.js';
import { Connection } from '../../src/screen/rfb/connection.js';
import { UpdateLimit } from '../../src/screen/rfb/update-limit.js';
import { readBodies } from '../../src/server/http/bodies.js';
import { sendError } from '../../src/server/http/errors.js';
import { validate } from '../../src/server/http/input/read-input.js';
import { readAnswer } from '../../src/shell/browser/answer.js';
import { parseEndpoint } from '../../src/shell/browser/endpoint.js';
import { parseElements } from '../../src/shell/elements/parse.js';
import { takeJobs } from '../../src/shell/jobs/fields.js';
import { HeaderReader } from '../../src/shell/process/header.js';
import { PythonReport } from '../../src/shell/python/report.js';
import { ClientReader } from '../../src/vnc-server/client-messages.js';
import { duplexPair, openGuest } from '../shell/support/guest.js';
import { fuzz } from '../support/fuzz.js';

fuzz({
  name: 'rtmp',
  parse(pieces) {
    const reader = new ChunkReader();
    for (const piece of pieces) for (const { data } of reader.push(piece)) decodeAmf(data);
  },
});

fuzz({
  name: 'browser-answers',
  async parse(pieces) {
    const tunnel = new PassThrough();
    for (const piece of pieces) tunnel.write(piece);
    tunnel.end();
    const { body } = await readAnswer(tunnel);
    await body();
  },
});

fuzz({ name: 'browser-port', parse: (pieces) => parseEndpoint(Buffer.concat(pieces).toString()) });

fuzz({
  name: 'elements',
  parse: (pieces) => parseElements(Buffer.concat(pieces).toString(), 100),
});

fuzz({ name: 'amf', parse: (pieces) => decodeAmf(Buffer.concat(pieces)) });

fuzz({
  name: 'rfb',
  ms: 3000,
  // A screen of 3840x2160, and as many new sizes as the flood limit allows.
  mib: 512,
  inputs: 100,
  async parse(pieces) {
    const [ours, theirs] = duplexPair();
    theirs.on('error', () => undefined).resume();
    const opening = Connection.open(ours, {
      ...{ timeoutMs: 5000, pixels: 'hextile', limit: new UpdateLimit() },
    });
    for (const piece of pieces) theirs.write(piece);
    theirs.end();
    const connection = await opening;
    if (connection.isOpen) await new Promise((resolve) => connection.once('close', resolve));
  },
});

fuzz({
  name: 'viewer',
  parse(pieces) {
    const reader = new ClientReader();
    for (const piece of pieces) for (const message of reader.read(piece)) void message;
  },
});

fuzz({
  name: 'json-lines',
  parse(pieces) {
    const reader = new JsonLineReader(4096, () => undefined);
    for (const piece of pieces) reader.read(piece);
  },
});

fuzz({
  name: 'mcp-messages',
  async parse(pieces) {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const messages = checkedMessages(stdin, stdout.resume());
    for (const piece of pieces) stdin.write(piece);
    stdin.end();
    for await (const line of messages) deserializeMessage(String(line).trim());
  },
});

fuzz({
  name: 'computer-use',
  parse(pieces) {
    const body = validate(ComputerUse, parseJson(Buffer.concat(pieces).toString()), 'body');
    for (const name of [undefined, ...DIALECTS]) {
      try {
        const { calls } = readTurn(body.items, name);
        for (const call of calls) call.answer({ state: 'done', text: 'OK' });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
  },
});

fuzz({
  name: 'docker-frames',
  parse(pieces) {
    const reader = new FrameReader(() => undefined);
    for (const piece of pieces) reader.read(piece);
  },
});

fuzz({
  name: 'tar',
  parse(pieces) {
    const archive = Buffer.concat(pieces);
    for (const { content } of readTar(archive)) void content;
    return firstFile(archive);
  },
});

fuzz({
  name: 'key-file',
  parse: (pieces) => checkPrivateKey(Buffer.concat(pieces).toString(), 'key'),
});

fuzz({
  name: 'jobs',
  parse(pieces) {
    const header = new HeaderReader(() => undefined);
    for (const piece of pieces) header.write(piece);
    expect(takeJobs(Buffer.concat(pieces), 100).length).toBeLessThanOrEqual(100);
  },
});

fuzz({
  name: 'python-report',
  parse(pieces) {
    const report = new PythonReport('0123456789abcdef', () => undefined);
    for (const piece of pieces) report.write(piece);
    report.end();
    return report.error;
  },
});

fuzz({
  name: 'sftp',
  ms: 5000,
  mib: 128,
  inputs: 20,
  /** Each frame of the input answers one request; then the channel closes. */
  async parse(pieces) {
    const frames = sftpFrames(Buffer.concat(pieces));
    const guest = await openGuest({
      onSubsystem(channel) {
        channel.on('error', () => undefined);
        const answer = () => {
          const frame = frames.shift();
          if (frame !== undefined) return void channel.write(frame);
          clearInterval(timer);
          channel.close();
        };
        channel.on('data', answer);
        // Without a request there is no 'data' event to continue.
        const timer = setInterval(answer, 20);
      },
    });
    try {
      await guest.shell.files.list('.');
    } finally {
      guest.close();
    }
  },
});

/** Splits at the frames' lengths; the rest is one frame. */
function sftpFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = at + 4 <= bytes.length ? bytes.readUInt32BE(at) + 4 : bytes.length;
    frames.push(bytes.subarray(at, at + length));
    at += length;
  }
  return frames;
}

const app = Fastify();
readBodies(app);
app.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
app.post('/', async ({ body }) => validate(Batch, body, 'body').actions.length);
afterAll(() => app.close());

fuzz({
  name: 'batch',
  inputs: 200,
  async parse(pieces) {
    const payload = Buffer.concat(pieces);
    const headers = { 'content-type': 'application/json' };
    const { statusCode } = await app.inject({ method: 'POST', url: '/', headers, payload });
    expect([200, 400]).toContain(statusCode);
  },
});

fuzz({
  name: 'socket-messages',
  parse(pieces) {
    let message: unknown;
    try {
      message = JSON.parse(Buffer.concat(pieces).toString());
    } catch {
      return;
    }
    for (const schema of [ProcessStart, ProcessControl, TunnelMessage, ViewOpening, ViewCommand]) {
      schema.safeParse(message);
    }
  },
});

const directory = mkdtempSync(join(tmpdir(), 'vc-fuzz-'));
afterAll(() => rmSync(directory, { recursive: true }));

fuzz({
  name: 'profile',
  async parse(pieces) {
    writeFileSync(join(directory, 'config.json'), Buffer.concat(pieces));
    await new ProfileStore(directory).read();
  },
});
