import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openExamples } from '../../../support/cli/examples.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());

it('vc run records a video of a task in a virtual machine', async () => {
  const examples = openExamples(service);
  writeFileSync(
    join(examples.directory, 'tasks.yaml'),
    `name: video
tasks:
  note:
    agent: 'vc bash "$VC_COMPUTER" "echo Milk >notes.txt"; vc move "$VC_COMPUTER" 9 9; sleep 5'
    check: {file: notes.txt}
`,
  );
  const output = await examples.run('vc run tasks.yaml --out results --video --json');
  expect(JSON.parse(output)).toMatchObject({ name: 'note', status: 'passed', message: '' });
  const video = join(examples.directory, 'results/note/video.mp4');
  const { stderr } = await execa('ffmpeg', ['-i', video, '-f', 'null', '-']);
  expect(stderr).toContain('Video: h264');
  const [, seconds] = /.*time=00:00:([\d.]+)/s.exec(stderr) ?? [];
  expect(Number(seconds), stderr).toBeGreaterThan(1);
}, 400_000);
