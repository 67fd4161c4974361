import { routes } from '../../contract/routes.js';
import type { BuildLine } from '../../contract/types/index.js';
import type { Client } from '../client.js';
import { ServiceError } from '../errors.js';
import { uploadBody } from '../files/upload-body.js';
import { buildPath } from '../http/address.js';

export type BuildProgress = Exclude<BuildLine, { type: 'image' | 'error' }>;

export interface ImageBuildOptions {
  /** Path in the context; `Dockerfile` by default. */
  readonly dockerfile?: string | undefined;
  /** Values of `ARG`. */
  readonly args?: Readonly<Record<string, string>> | undefined;
  /** For `RUN --mount=type=secret`, by id. */
  readonly secrets?: Readonly<Record<string, Uint8Array | string>> | undefined;
  /** Stage to build; the last one by default. */
  readonly target?: string | undefined;
  readonly noCache?: boolean | undefined;
  /** Make the image for all owners; for administrators. */
  readonly shared?: boolean | undefined;
  readonly engine?: string | undefined;
  /** Ends the build. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((line: BuildProgress) => void | Promise<void>) | undefined;
}

/** The service sends something every 15 s. */
const SILENT_MS = 60_000;

/**
 * Builds an image of a context, a tar archive. Resolves to the image.
 * @throws ServiceError a step has failed, or the service refuses
 */
export async function buildImage(
  client: Client,
  name: string,
  context: Uint8Array | AsyncIterable<Uint8Array>,
  options: ImageBuildOptions = {},
): Promise<Extract<BuildLine, { type: 'image' }>['image']> {
  const { args = {}, secrets = {}, signal } = options;
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(args)) query.append('arg', `${key}=${value}`);
  const fields = { dockerfile: options.dockerfile, target: options.target, engine: options.engine };
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) query.set(key, value);
  }
  if (options.noCache) query.set('no_cache', '1');
  if (options.shared) query.set('shared', '1');
  const path = buildPath(routes.buildImage.paths, { image: name });
  const upload = uploadBody(context, undefined);
  const secret = Object.entries(secrets).map(([id, value]) => `${id}=${base64(value)}`);
  const answer = await client
    .exchange({
      method: 'POST',
      path: query.size === 0 ? path : `${path}?${query}`,
      query: {},
      headers: {
        'content-type': 'application/x-tar',
        ...(secret.length > 0 && { 'x-vc-build-secret': secret.join(',') }),
      },
      body: upload.body,
      signal,
      silentMs: SILENT_MS,
    })
    .catch((error: unknown) => {
      throw upload.failure() ?? error;
    })
    .finally(upload.end);
  for await (const line of linesOf(answer.body)) {
    if (line.type === 'image') return line.image;
    if (line.type === 'error') {
      const { code, error, remedy } = line;
      const more = { baseUrl: client.baseUrl, remedy: remedy ?? undefined };
      throw new ServiceError(code, error, more);
    }
    await options.onProgress?.(line);
  }
  const message = 'The connection ended before the build.';
  throw new ServiceError('internal', message, { baseUrl: client.baseUrl });
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<BuildLine> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as BuildLine;
  }
}

function base64(value: Uint8Array | string): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
