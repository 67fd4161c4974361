/** What noVNC needs of a WebSocket, and the texts of the service beside it. */
export interface ViewChannel {
  readonly readyState: number;
  onevent: ((event: ViewEvent) => void) | null;
  sendCommand(
    command:
      | { readonly type: 'clipboard' | 'text'; readonly text: string }
      | { readonly type: 'sound' },
  ): void;
  close(): void;
}

export interface ViewEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Ending {
  readonly code: string;
  readonly reason: string;
}

export function openChannel(
  address: URL,
  ticket: string,
  handlers: {
    onReady(
      event: { readonly mode: 'view' | 'control'; readonly name: string },
      channel: ViewChannel,
    ): void;
    /** The first frame was received. */
    onFrame?(): void;
    /** Without an ending the connection was lost. */
    onClosed(ending: Ending | undefined): void;
  },
): ViewChannel;
