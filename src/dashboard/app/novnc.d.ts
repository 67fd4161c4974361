declare module '@novnc/novnc' {
  /** The part of noVNC that the page uses. */
  class RFB extends EventTarget {
    constructor(target: Element, channel: object, options: { shared: boolean });
    viewOnly: boolean;
    scaleViewport: boolean;
    background: string;
    focus(options?: FocusOptions): void;
    blur(): void;
    sendKey(keysym: number, code: string, down?: boolean): void;
    disconnect(): void;
  }
  // biome-ignore lint/style/noDefaultExport: as noVNC is written
  export default RFB;
}
