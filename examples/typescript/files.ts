// 50 MB into a computer and back, with checksums. Files of any size go through in pieces.

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { VirtualComputers } from 'virtual-computers';

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

const directory = await mkdtemp(join(tmpdir(), 'vc-files-'));
const [there, back] = [join(directory, 'there'), join(directory, 'back')];
await writeFile(there, randomBytes(50_000_000));

const vc = new VirtualComputers();
const project = `files-${Date.now()}`;
await vc.projects.create(project);
try {
  const desk = await vc.computers.create(project, { name: 'desk' });
  await desk.files.upload(there, 'data.bin');
  const { stdout } = await desk.bash('sha256sum data.bin', { check: true });
  await desk.files.download('data.bin', back);

  const sums = [await sha256(there), stdout.split(' ')[0], await sha256(back)];
  console.log(sums.join('\n'));
  if (new Set(sums).size !== 1) throw new Error('the checksums differ');
} finally {
  await vc.projects.delete(project);
  await vc.close();
  await rm(directory, { recursive: true });
}
