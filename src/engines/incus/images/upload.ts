import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Cluster } from '../client/cluster.js';
import { clusterErrorOf } from '../errors.js';

/** A root file system takes a minute to send and to store. */
const UPLOAD_MS = 3_600_000;

interface Parts {
  readonly metadata: Buffer;
  /** Put before the archive of the root file system. */
  readonly before: Buffer;
  /** Path of the uncompressed archive of the root file system. */
  readonly tarball: string;
}

/** Sends an image to the cluster, unless it has the same one already. */
export async function uploadImage(
  cluster: Cluster,
  { metadata, before, tarball }: Parts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const boundary = `vc-${randomBytes(16).toString('hex')}`;
  // The order matters.
  const head = Buffer.concat([
    part(boundary, 'metadata', 'metadata.tar'),
    metadata,
    Buffer.from('\r\n'),
    part(boundary, 'rootfs', 'rootfs.tar'),
    before,
  ]);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const { size } = await stat(tarball);
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': `${head.length + size + tail.length}`,
  };
  const body = Readable.from(concatenated(head, tarball, tail), { objectMode: false });
  const upload = { body, headers };
  try {
    await cluster.run('/1.0/images', { method: 'POST', upload, ms: UPLOAD_MS, signal });
  } catch (error) {
    if (!/already exists/i.test(clusterErrorOf(error)?.message ?? '')) throw error;
  } finally {
    body.destroy();
  }
}

function part(boundary: string, name: string, file: string): Buffer {
  const disposition = `Content-Disposition: form-data; name="${name}"; filename="${file}"`;
  return Buffer.from(
    `--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
}

async function* concatenated(head: Buffer, file: string, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* createReadStream(file, { highWaterMark: 1 << 20 });
  yield tail;
}
