import type { CopiedText } from '../screen/types.js';

/** The connection to the viewer's browser. */
export interface ViewerChannel {
  /** The owner whose views have their turns of the event loop together. */
  readonly ownerId: string;
  /** Resolves when the data has been sent or the viewer has disconnected. */
  send(data: Buffer): Promise<void>;
  /** Sends a text that was copied in the computer; drops it while the browser reads nothing. */
  sendClipboard(copied: CopiedText): void;
  readonly memory: ViewerMemory;
}

/** Memory of frames until they were sent; a client that does not read keeps it. */
export interface ViewerMemory {
  /** Resolves when so many bytes are free. Rejects with the signal's reason. */
  reserve(bytes: number, signal: AbortSignal): Promise<Reserved>;
}

interface Reserved {
  /** Keeps only so many bytes. */
  shrink(bytes: number): void;
  /** Idempotent. */
  release(): void;
}
