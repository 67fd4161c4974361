import type { EventEmitter } from 'node:events';
import { DamageCollector } from './model/damage-collector.js';
import type { DamageLog } from './model/damage-log.js';
import type { UpdateScheduler } from './model/update-scheduler.js';
import type { Connection } from './rfb/connection.js';
import type { ScreenEvents } from './types.js';
import type { GuestClipboard } from './typing/guest-clipboard.js';

/** Milliseconds between updates for listeners of `damage`: about 30 frames a second. */
const LISTENER_MS = 33;

interface Sources {
  readonly connection: Connection;
  readonly updates: UpdateScheduler;
  readonly clipboard: GuestClipboard;
  readonly changes: DamageLog;
}

/** Emits the events of a connection on `screen`; requests updates while someone listens. */
export function forwardEvents(
  screen: EventEmitter<ScreenEvents>,
  { connection, updates, clipboard, changes }: Sources,
): void {
  let stopWatching: (() => void) | undefined;
  const collector = new DamageCollector(changes, () => screen.emit('damage'));
  connection.on('close', (error) => {
    collector.close();
    screen.emit('close', error);
  });
  connection.on('resize', (size) => {
    collector.clear();
    screen.emit('resize', size);
  });
  connection.on('cursor', (cursor) => screen.emit('cursor', cursor));
  connection.on('update', ({ damage }) => collector.add(damage));
  // ScreenEvents does not declare Node's own two events.
  const listeners = screen as unknown as EventEmitter;
  listeners.on('newListener', (event) => {
    if (event === 'damage') stopWatching ??= updates.watch(LISTENER_MS);
    if (event === 'clipboard') clipboard.listening = true;
  });
  listeners.on('removeListener', (event) => {
    if (event === 'clipboard') clipboard.listening = screen.listenerCount('clipboard') > 0;
    if (event !== 'damage' || screen.listenerCount('damage') > 0) return;
    stopWatching?.();
    stopWatching = undefined;
  });
}
