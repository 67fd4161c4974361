// @module-tag slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/output/layout/fit-columns.js';
import { fold, textColumns } from '../../../../src/cli/output/layout/fold.js';
import { inTier } from '../../../support/run/tiers.js';
import { openWorld, type World } from '../../support/run.js';

describe('fold', () => {
  test('breaks between words only, and no line is wider', () => {
    const text = 'The project "demo" has a computer named "desktop" already, and it is running.';
    for (const width of [10, 20, 33, 40, 79, 80]) {
      const lines = fold(text, width);
      expect(lines.join(' ')).toBe(text);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    }
  });

  test('does not break a word that is wider than the line', () => {
    const url = `https://vc.example.com/${'a'.repeat(60)}`;
    expect(fold(`see ${url} for more`, 20)).toEqual(['see', url, 'for more']);
  });

  test('counts the columns of wide characters', () => {
    for (const line of fold('你好 世界 你好 世界 你好', 10)) {
      expect(displayWidth(line)).toBeLessThanOrEqual(10);
    }
  });

  test('does not break a command that fits into a line', () => {
    const lead = 'start it on the machine of the service:';
    expect(fold(`${lead} vc serve --detach --spares 4`, 50)).toEqual([
      lead,
      'vc serve --detach --spares 4',
    ]);
    expect(fold('start it: vc serve --detach --spares 4', 20)).toEqual([
      ...['start it: vc serve', '--detach --spares 4'],
    ]);
  });

  test('the width is 40 to 120 columns on a terminal, and unlimited in a pipe', () => {
    const widths = [undefined, 20, 40, 100, 120, 300].map((columns) =>
      textColumns({ isTTY: true, ...(columns === undefined ? {} : { columns }) }),
    );
    expect(widths).toEqual([80, 40, 40, 100, 120, 120]);
    expect(textColumns({ columns: 80 })).toBe(Number.POSITIVE_INFINITY);
  });
});

let world: World;
let doctorInPipe: string | undefined;
beforeAll(async () => {
  world = await openWorld();
  const remedy = 'Stop or remove one, or raise the limit: vc owner set default --max-running 3';
  const message =
    'The limit of running computers (2) is reached, and the computer was not started.';
  world.service.fail(
    'POST /projects/demo/computers/desk/start',
    ...([400, 'limit_reached', message, remedy] as const),
  );
});
afterAll(() => world.close());

describe('on a terminal', () => {
  test.each([40, 60, 80, 120])(
    'errors fit into %i columns, without a broken word',
    async (columns) => {
      for (const argv of [
        ['start', 'demo/desk'],
        ['get', 'demo/none'],
        ['start', 'demo/desk', 'demo/none'],
      ]) {
        const options = { terminal: true, columns, env: { NO_COLOR: '1' } };
        const { stderr } = await world.run(argv, options);
        const lines = stderr.trimEnd().split('\n');
        for (const line of lines) {
          if (line.trim().includes(' ')) expect(line.length, line).toBeLessThanOrEqual(columns);
          expect(line).toMatch(/^(error: | {7})\S/);
        }
        const inPipe = (await world.run(argv)).stderr;
        // Several computers are worked on at the same time.
        expect(words(stderr).sort()).toEqual(words(inPipe).sort());
      }
    },
  );

  test.each(inTier({ thorough: [40, 60, 80, 120], quick: [40] }))(
    'vc doctor fits into %i columns, without a broken word',
    async (columns) => {
      const env = {
        DOCKER_HOST: 'unix:///nonexistent/docker.sock',
        PATH: '/nonexistent',
        NO_COLOR: '1',
      };
      const { stdout } = await world.run(['doctor', '-v'], { terminal: true, columns, env });
      for (const line of stdout.split('\n')) {
        const isLongWord = !line.trim().includes(' ');
        if (!isLongWord) expect(line.length, line).toBeLessThanOrEqual(columns);
      }
      doctorInPipe ??= (await world.run(['doctor', '-v'], { env })).stdout;
      // A probe that takes long on a busy machine is "not tried yet" in one of the two.
      const known = new Set([...words(doctorInPipe), 'not', 'tried', 'yet']);
      // Times and sizes differ between runs.
      const broken = words(stdout).filter((word) => !known.has(word) && !/\d/.test(word));
      expect(broken).toEqual([]);
    },
  );

  test('notes and success messages are folded, too', async () => {
    world.service.on('POST /projects/demo/computers/desk/view', {
      url: `${world.service.baseUrl}/view/x#y`,
      expires_at: '2025-01-02T03:01:05.000Z',
    });
    const argv = ['view', 'demo/desk', '--print'];
    const { stderr } = await world.run(argv, { terminal: true, columns: 30 });
    expect(stderr).toBe('the link works once, within a minute\n');
  });
});

test('in a pipe an error is two lines, however long', async () => {
  const { stderr } = await world.run(['start', 'demo/desk'], { columns: 40 });
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
});

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
