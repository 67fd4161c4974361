import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildEvent, formatEvent, hider } from '../../../images/dockerfile/progress.js';
import { makeDirectory } from '../../../lib/fs/directory.js';

/** Bytes of a log that are kept: the last ones. */
const MOST_BYTES = 256 * 1024;

/** The log of a build: its progress as `vc image build` prints it, without the `hidden` values. */
export class BuildLog {
  readonly #hide: (text: string) => string;
  #text = '';

  constructor(hidden: readonly string[]) {
    this.#hide = hider(hidden);
  }

  add(event: BuildEvent): void {
    const line = formatEvent(event);
    // The text of a step is the Dockerfile's own.
    this.#text += `${event.type === 'step' ? line : this.#hide(line)}\n`;
    if (this.#text.length > 2 * MOST_BYTES) this.#text = lastLines(this.#text);
  }

  get text(): string {
    return lastLines(this.#text);
  }
}

function lastLines(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST_BYTES) return text;
  const last = bytes.subarray(-MOST_BYTES);
  return last.subarray(last.indexOf('\n') + 1).toString();
}

/** Keeps the log of an image in the state directory. Best effort: skipped if it cannot be written. */
export function writeBuildLog(directory: string, diskId: string, text: string): void {
  const path = pathOf(directory, diskId);
  try {
    makeDirectory(dirname(path));
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // The image is worth more than its log.
  }
}

/** Empty if there is none. */
export async function readBuildLog(directory: string, diskId: string): Promise<string> {
  return readFile(pathOf(directory, diskId), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

export function removeBuildLog(directory: string, diskId: string): void {
  rmSync(pathOf(directory, diskId), { force: true });
}

function pathOf(directory: string, diskId: string): string {
  return join(directory, 'build-logs', `${diskId}.log`);
}
