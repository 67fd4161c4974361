import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import type { RootfsImage } from '../containers/dialect.js';
import { globalArguments } from './service.js';

const MEDIA = 'application/vnd.oci.image';
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' };

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/**
 * Makes an image of a tarball with `podman pull`, from a directory in which the tarball is a link, and
 * returns its id: `podman import` copies and hashes it once more, and takes a half longer.
 */
export async function importRootfs(
  { tarball, config }: RootfsImage,
  signal: AbortSignal | undefined,
): Promise<string> {
  const directory = await mkdtemp(join(dirname(tarball), '.import-'));
  try {
    const layer = await linkTarball(tarball, directory, signal);
    const image = await addBlob(directory, {
      created: new Date().toISOString(),
      architecture: ARCHITECTURES[process.arch] ?? process.arch,
      os: 'linux',
      config,
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
      history: [{ created_by: 'vc image build' }],
    });
    const manifest = {
      schemaVersion: 2,
      mediaType: `${MEDIA}.manifest.v1+json`,
      config: { mediaType: `${MEDIA}.config.v1+json`, ...image },
      layers: [{ mediaType: `${MEDIA}.layer.v1.tar`, ...layer }],
    };
    await writeFile(join(directory, 'manifest.json'), JSON.stringify(manifest));
    await writeFile(join(directory, 'version'), 'Directory Transport Version: 1.1\n');
    return await pull(directory, signal);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function addBlob(directory: string, value: object): Promise<Blob> {
  const text = JSON.stringify(value);
  const digest = createHash('sha256').update(text).digest('hex');
  await writeFile(join(directory, digest), text);
  return { digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

async function linkTarball(
  tarball: string,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<Blob> {
  const hash = createHash('sha256');
  const stream = createReadStream(tarball, { highWaterMark: 2 ** 20 });
  await pipeline(stream, hash, { ...(signal && { signal }) });
  const digest = hash.digest('hex');
  await link(tarball, join(directory, digest));
  return { digest: `sha256:${digest}`, size: stream.bytesRead };
}

async function pull(directory: string, signal: AbortSignal | undefined): Promise<string> {
  const argv = [...(await globalArguments()), 'pull', '--quiet', `dir:${directory}`];
  const cancel = signal && { cancelSignal: signal };
  const { failed, stdout, stderr, shortMessage } = await execa('podman', argv, {
    ...{ stdin: 'ignore', reject: false },
    ...cancel,
  });
  signal?.throwIfAborted();
  if (!failed) return `sha256:${stdout.trim()}`;
  const reason = stderr.trim().split('\n').at(-1) || shortMessage;
  throw new Error(`Podman could not import the image: ${reason}`);
}
