import type { CopiedText } from '../screen/types.js';

/** The connection to the viewer's browser. */
export interface ViewerChannel {
  /** Resolves when the data has been sent or the viewer has disconnected. */
  send(data: Buffer): Promise<void>;
  /** Sends a text that was copied in the computer; drops it while the browser reads nothing. */
  sendClipboard(copied: CopiedText): void;
}
