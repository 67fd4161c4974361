import type { StreamStatus } from '../../api/types.js';

/** Whether frames reach the target: a stream that connects again says why. */
export function isHealthy({ status, message }: StreamStatus): boolean {
  return status === 'streaming' && message === undefined;
}

/** Why a stream is not healthy. */
export function troubleOf({ status, message }: StreamStatus): string {
  return status === 'streaming' ? `Connecting again: ${message}` : (message ?? 'It has ended.');
}
