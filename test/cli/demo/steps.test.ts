import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { drivingSteps } from '../../../src/cli/demo/steps.js';

it('searches again for a window when another one closes meanwhile', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vc-steps-'));
  try {
    const program = (name: string, script: string) => {
      writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(directory, name), 0o700);
    };
    program('mousepad', ':');
    program('xfce4-terminal', ':');
    // As with BadWindow: the first search fails.
    program(
      'xdotool',
      `echo "$@" >>"${directory}/searched"; [ $(wc -l <"${directory}/searched") = 2 ]`,
    );
    const env = { PATH: `${directory}:${process.env.PATH}` };
    const commands = drivingSteps('p/a').flatMap(({ argv: [verb, , command = ''] }) =>
      verb === 'bash' && command.includes('xdotool') ? [command] : [],
    );
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      rmSync(join(directory, 'searched'), { force: true });
      const { exitCode, stdout, stderr } = await execa('bash', ['-c', command], { env });
      expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});
