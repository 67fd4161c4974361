import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const docs = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));

/**
 * For each parser in the table of docs/reliability.md the corpora that test it, or why it has none:
 * it is no parser of its own.
 */
const CORPORA: Readonly<Record<string, readonly string[] | string>> = {
  "RTMP: the answers of a stream's target": ['rtmp', 'amf'],
  "SSH: a computer's shell": 'ssh2 parses it; test/shell/hostile.test.ts has hostile servers',
  'SSH: channels that the service closes':
    'ssh2 parses them; test/shell/channel-close.test.ts has guests that answer late or never',
  'SFTP: lists of files': ['sftp'],
  'SFTP: a file that is read': ['sftp'],
  'SFTP: requests that the guest does not let the service send':
    'nothing is parsed; test/shell/files/session.test.ts has a guest that lets none be sent',
  "a file without SSH: what the guest's program prints and sends":
    'it is two numbers and a word; test/shell/transfer.test.ts has hostile guests',
  'SFTP: a directory tree that is removed': ['sftp'],
  'jobs of a computer': ['jobs'],
  "RFB: a computer's screen": ['rfb'],
  "RFB: a live view's input": ['viewer'],
  "a Docker computer's directory for sockets": 'its size is limited by the kernel',
  'a cluster: answers of its members':
    'JSON.parse() reads them; test/engines/incus/operations.test.ts has an endless one',
  "QEMU's monitor": ['json-lines'],
  'the guest agent': ['json-lines'],
  'what QEMU saves of a virtual machine that is copied':
    'it is not parsed; test/engines/qemu/snapshots has files and memory that are too large',
  'reboots of a virtual machine by its guest':
    'events of the monitor; test/engines/qemu/machine/resets.test.ts has a guest that reboots without end',
  'JSON bodies': ['batch'],
  'messages to `vc mcp` and `POST /mcp`': ['mcp-messages'],
  'calls of models': ['computer-use'],
  'messages of WebSockets': ['socket-messages'],
  "frames, answers and the port of a computer's browser": [
    ...['browser-frames', 'browser-answers', 'browser-port'],
  ],
  "elements of a computer's screen": ['elements'],
  'output of a command': ['docker-frames'],
  'an error that the client library reads':
    'JSON.parse() reads it; test/client/http/read-body.test.ts has endless ones',
  'an event that the TypeScript client library reads, and its lines':
    'it is split at line ends; test/client/events/events.test.ts has endless ones',
  'pages that `vc api --paginate` puts together':
    'JSON.parse() reads them; test/cli/api/pages.test.ts has endless ones',
  'an exception in Python': ['python-report'],
  "the user's files of an image": ['tar'],
  'the ticket of a live view': ['socket-messages'],
  'files that the command line reads whole': ['profile', 'key-file', 'batch'],
};

/** The first column of the table of parsers. */
function parsersInDocs(): string[] {
  const [, section = ''] = readFileSync(docs, 'utf8').split('### Parsers');
  const rows = section.split('\n## ')[0]?.split('\n') ?? [];
  return rows
    .filter((row) => row.startsWith('| ') && !/^\| (input|---) /.test(row))
    .map((row) => row.split('|')[1]?.trim() ?? '');
}

const folders = readdirSync(`${here}corpus`);
const run = [...readFileSync(`${here}parsers.test.ts`, 'utf8').matchAll(/fuzz\({\s*name: '(.*)'/g)];

it('every parser in the documentation has a corpus, or a reason why not', () => {
  expect(parsersInDocs().sort()).toEqual(Object.keys(CORPORA).sort());
  for (const corpora of Object.values(CORPORA)) {
    if (typeof corpora !== 'string') expect(folders).toEqual(expect.arrayContaining([...corpora]));
  }
});

it('every corpus has inputs and is run', () => {
  expect(run.map(([, name]) => name).sort()).toEqual([...folders].sort());
  for (const folder of folders) expect(readdirSync(`${here}corpus/${folder}`)).not.toEqual([]);
});
