import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { lookUp } from '../../../src/lib/net/look-up.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

let directory: string;
let hostsFile: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-hosts-'));
  hostsFile = join(directory, 'hosts');
  const lines = [
    '127.0.0.1 localhost',
    '# 10.0.0.1 media',
    '10.0.0.2\tnas Media # ours',
    'x media',
  ];
  writeFileSync(hostsFile, lines.join('\n'));
});
afterAll(() => rmSync(directory, { recursive: true }));

let server: Socket;
let servers: string[];
/** The names that were asked for. */
let asked: string[];
beforeEach(async () => {
  asked = [];
  server = createSocket('udp4');
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  servers = [`127.0.0.1:${server.address().port}`];
});
afterEach(() => {
  server.close();
});

const A = 1;

/** Answers questions with an address of their type, or with its absence; without any, never. */
function answerWith(...addresses: string[]): void {
  server.on('message', (question, { port, address }) => {
    const end = question.indexOf(0, 12);
    // Of each label, its length comes first.
    asked.push(question.toString('latin1', 13, end).replace(/[^\w-]/g, '.'));
    if (addresses.length === 0) return;
    const type = question.readUInt16BE(end + 1);
    const found = addresses.filter((each) => isIPv4(each) === (type === A));
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(found.length, 6);
    header.writeUInt32BE(0, 8);
    const records = found.map((each) => record(type, each));
    const answer = Buffer.concat([header, question.subarray(12, end + 5), ...records]);
    server.send(answer, port, address);
  });
}

/** A resource record for the name in question (RFC 1035, section 4.1.3). */
function record(type: number, address: string): Buffer {
  const data =
    type === A
      ? Buffer.from(address.split('.').map(Number))
      : Buffer.from(address.replaceAll(':', ''), 'hex');
  const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([head, data]);
}

function unfinished(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => name === 'GetAddrInfoReqWrap' || name === 'QueryReqWrap');
}

promise(29, 'look-ups that were aborted take no thread and no memory', async (report) => {
  answerWith();
  const names = Array.from({ length: 50 }, (_, index) => `slow-${index}.example.invalid`);
  const leaving = names.map(() => new AbortController());
  const ended = Promise.allSettled(
    names.map((name, index) => lookUp(name, leaving[index]?.signal, { servers, hostsFile })),
  );
  await eventually(async () => names.every((name) => asked.includes(name)));
  expect(unfinished()).not.toContain('GetAddrInfoReqWrap');
  for (const each of leaving) each.abort(new Error('left'));
  for (const each of await ended) expect(each).toMatchObject({ reason: { message: 'left' } });
  expect(unfinished()).toEqual([]);
  report(`${names.length} look-ups of names that no server answers`);
});

it('finds the addresses of both kinds, IPv4 first', async () => {
  answerWith('2001:0db8:0000:0000:0000:0000:0000:0001', '192.0.2.1', '192.0.2.2');
  const found = await lookUp('live.example.invalid', undefined, { servers, hostsFile });
  expect(found).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
});

it('finds a name that has addresses of one kind only', async () => {
  answerWith('192.0.2.1');
  const found = lookUp('live.example.invalid', undefined, { servers, hostsFile });
  await expect(found).resolves.toEqual(['192.0.2.1']);
});

it('reads the hosts file first', async () => {
  answerWith('192.0.2.1');
  for (const name of ['media', 'MEDIA.', 'nas']) {
    await expect(lookUp(name, undefined, { servers, hostsFile })).resolves.toEqual(['10.0.0.2']);
  }
  expect(asked).toEqual([]);
  const without = lookUp('media', undefined, { servers, hostsFile: join(directory, 'none') });
  await expect(without).resolves.toEqual(['192.0.2.1']);
});

it('returns an address, also in another notation, and asks for nothing that is no name', async () => {
  answerWith('192.0.2.1');
  await expect(lookUp('192.0.2.9')).resolves.toEqual(['192.0.2.9']);
  await expect(lookUp('2001:db8::9')).resolves.toEqual(['2001:db8::9']);
  for (const address of ['127.1', '0x7f.1', '2130706433', '017700000001', '127.0.0.1.']) {
    await expect(lookUp(address), address).resolves.toEqual(['127.0.0.1']);
  }
  const wrong = ['1.2.3.4.5', '256.1.1.1', 'a.1', 'a..b', '%EF%BC%91', 'a b', 'a/b', 'a:1', ''];
  for (const name of [...wrong, 'a'.repeat(64), 'a.'.repeat(130)]) {
    const found = lookUp(name, undefined, { servers, hostsFile });
    await expect(found, name).rejects.toMatchObject({ code: 'ENOTFOUND' });
  }
  expect(asked).toEqual([]);
});
