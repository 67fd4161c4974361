import { afterEach, beforeEach, expect, test } from 'vitest';
import { SafeText, safeText } from '../../../src/cli/terminal/safe-output.js';
import { openWorld, type World } from '../support/run.js';

/** Sets the title, the colour and the clipboard, moves up, and reverses the text. */
const HOSTILE =
  '\u001b]0;title\u0007\u001b[31m\u009b1A\u001b]52;c;eA==\u001b\\\u202eab\u200f\rover\b\u007f';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const unsafe = /[\p{Cc}\u200e\u200f\u202a-\u202e]/u;

test('control characters are replaced, text and line ends are not', () => {
  expect(safeText(HOSTILE)).not.toMatch(unsafe);
  expect(safeText('tab\tä 日本 👩‍💻\nend\r\n')).toBe('tab\tä 日本 👩‍💻\nend\n');
  expect(safeText('10 %\r20 %')).toBe('10 %\ufffd20 %');
});

test('characters may be split at any byte', () => {
  const bytes = Buffer.from(`é\u009b日\r\n${HOSTILE}👩\r`);
  const text = new SafeText();
  const parts = [...bytes].map((byte) => text.write(Uint8Array.of(byte)));
  expect(parts.join('') + text.end()).toBe(safeText(bytes.toString()));
});

const printing = () =>
  world.service.onProcess((_, socket) => {
    for (const stream of [1, 2]) {
      socket.send(Buffer.concat([Buffer.of(stream), Buffer.from(`${HOSTILE}\n`)]));
    }
    socket.send(
      JSON.stringify({ type: 'exit', code: 1, signal: null, error: HOSTILE, error_type: 'E' }),
    );
    socket.close();
  });

test.each([
  ['exec', ['--', 'x']],
  ['bash', ['x']],
  ['python', ['-c', 'x']],
])('%s --safe protects a terminal, and changes nothing in a pipe', async (name, words) => {
  printing();
  const argv = ['computer', name, '--safe', 'demo/desktop', ...words];
  const shown = await world.run(argv, { terminal: true });
  expect(shown.stdout.trimEnd()).not.toMatch(unsafe);
  expect(shown.stderr.replaceAll('\n', '')).not.toMatch(unsafe);
  expect(shown.stdout).toContain('over');
  const piped = await world.run(argv);
  expect(piped.stdout).toBe(`${HOSTILE}\n`);
  const plain = await world.run(
    argv.filter((word) => word !== '--safe'),
    { terminal: true },
  );
  expect(plain.stdout).toBe(`${HOSTILE}\n`);
});

test('job logs --safe protects a terminal', async () => {
  const job = {
    ...{ id: 'job_0mi4x2k9a01234567', pid: 1, status: 'exited', exit_code: 0, command: 'x' },
    ...{ started_at: '2025-01-02T03:01:05.000Z', ended_at: null, output_bytes: 9 },
    ...{ truncated: false, output: `${HOSTILE}\n`, next_offset: 9 },
  };
  world.service.on(`GET /projects/demo/computers/desktop/jobs/${job.id}`, job);
  const argv = ['job', 'logs', 'demo/desktop', job.id];
  const shown = await world.run([...argv, '--safe'], { terminal: true });
  expect(shown.stdout.trimEnd()).not.toMatch(unsafe);
  expect((await world.run(argv, { terminal: true })).stdout).toBe(`${HOSTILE}\n`);
  const document = await world.run([...argv, '--json'], { terminal: true });
  expect(document.stdout.replaceAll('\n', '')).not.toMatch(unsafe);
});
