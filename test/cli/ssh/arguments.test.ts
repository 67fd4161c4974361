import { expect, test } from 'vitest';
import { parseSshWords } from '../../../src/cli/ssh/arguments.js';

const none = {
  user: undefined,
  users: [],
  host: undefined,
  options: [],
  command: [],
  needsNoHost: false,
};

test.each([
  ['desk', { host: 'desk' }],
  ['desk uptime -p', { host: 'desk', command: ['uptime', '-p'] }],
  ['desk -- ls -la', { host: 'desk', command: ['ls', '-la'] }],
  ['-- desk ls', { host: 'desk', command: ['ls'] }],
  ['-L 80:localhost:80 desk', { options: ['-L', '80:localhost:80'], host: 'desk' }],
  ['-AvL80:a:80 desk id', { options: ['-AvL80:a:80'], host: 'desk', command: ['id'] }],
  ['-Avp 22 desk', { options: ['-Avp', '22'], host: 'desk' }],
  ['desk -N -D 1080', { host: 'desk', options: ['-N', '-D', '1080'] }],
  ['me@lab', { user: 'me', users: ['me'], host: 'lab' }],
  ['a@b@lab', { user: 'a@b', users: ['a@b'], host: 'lab' }],
  ['@lab', { user: '', users: [''], host: 'lab' }],
  // As rsync and git call it.
  [
    '-l me lab rsync --server .',
    { options: ['-l', 'me'], users: ['me'], host: 'lab', command: ['rsync', '--server', '.'] },
  ],
  [
    '-o SendEnv=GIT_PROTOCOL desk git-receive-pack',
    { options: ['-o', 'SendEnv=GIT_PROTOCOL'], host: 'desk', command: ['git-receive-pack'] },
  ],
  ['-V', { options: ['-V'], needsNoHost: true }],
  ['-Q cipher', { options: ['-Q', 'cipher'], needsNoHost: true }],
  // A value is not an option.
  ['-pV desk', { options: ['-pV'], host: 'desk' }],
  ['-A', { options: ['-A'] }],
  ['-Alme lab', { options: ['-Alme'], users: ['me'], host: 'lab' }],
  [
    '-oUser=me -o user=you lab',
    { options: ['-oUser=me', '-o', 'user=you'], users: ['me', 'you'], host: 'lab' },
  ],
  ['', {}],
])('ssh %s', (line, expected) => {
  const words = line === '' ? [] : line.split(' ');
  expect(parseSshWords(words)).toEqual({ ...none, ...expected });
});

test('a long option is an error, but not in the command', () => {
  expect(() => parseSshWords(['--cwd', '/', 'desk'])).toThrow("unknown option '--cwd'");
  expect(parseSshWords(['desk', 'ls', '--all']).command).toEqual(['ls', '--all']);
});
