import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

/** Directories that were removed in the meantime, or that this user may not read. */
const SKIPPED = ['ENOENT', 'ENOTDIR', 'EACCES'];

export interface TreeEvents {
  onChange(): void;
  onError(error: NodeJS.ErrnoException): void;
}

/**
 * Watches a directory and the directories in it, also later ones; symbolic links are not followed.
 *
 * Each directory has its own watch: with `recursive`, Node.js 20 watches the inode of each file on Linux
 * and misses changes of files that were replaced.
 */
export class TreeWatcher {
  readonly #root: string;
  readonly #events: TreeEvents;
  readonly #open: typeof watch;
  readonly #watchers = new Map<string, FSWatcher>();

  /** `open` is for tests. */
  constructor(root: string, events: TreeEvents, open: typeof watch = watch) {
    this.#root = root;
    this.#events = events;
    this.#open = open;
    this.#add(root);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(directory: string): void {
    try {
      if (directory !== this.#root && !lstatSync(directory).isDirectory()) return;
      // Watch before reading: nothing that is created in between is missed.
      const watcher = this.#open(directory, (type, name) => {
        if (type === 'rename' && name !== null) this.#renew(directory, name);
        this.#events.onChange();
      });
      watcher.on('error', (error) => this.#events.onError(error));
      this.#watchers.set(directory, watcher);
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        if (entry.isDirectory()) this.#add(join(directory, entry.name));
      }
    } catch (error) {
      this.#drop(directory);
      const cause = error as NodeJS.ErrnoException;
      const isSkipped = directory !== this.#root && SKIPPED.includes(cause.code ?? '');
      if (!isSkipped) this.#events.onError(cause);
    }
  }

  /** Called when an entry was created, removed or replaced. */
  #renew(directory: string, name: string): void {
    const paths = [join(directory, name)];
    // Events of the directory itself have its own name.
    if (directory === this.#root && name === basename(directory)) paths.push(directory);
    for (const path of paths) {
      this.#drop(path);
      this.#add(path);
    }
  }

  #drop(directory: string): void {
    if (!this.#watchers.has(directory)) return;
    for (const [path, watcher] of this.#watchers) {
      if (path !== directory && !path.startsWith(join(directory, '/'))) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }
}
