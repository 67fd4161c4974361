/**
 * Opens the live view's WebSocket, and gives noVNC a channel that carries the binary messages
 * alone; texts are the service's and the page's own. `onReady(event, channel)` is called once the
 * ticket was taken, `onFrame()` after the first frame, `onClosed(event)` at the end, with the service's
 * reason if there was time for it. Returns the channel.
 */
export function openChannel(address, ticket, { onReady, onFrame, onClosed }) {
  const url = new URL(address);
  url.protocol = /^(https|wss):$/.test(url.protocol) ? 'wss:' : 'ws:';
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  const channel = {
    binaryType: 'arraybuffer',
    protocol: '',
    onopen: null,
    get onmessage() {
      return take;
    },
    set onmessage(handler) {
      take = handler;
      // Those that came before noVNC was loaded.
      queueMicrotask(() => waiting.splice(0).forEach(receive));
    },
    onerror: null,
    onclose: null,
    /** Called with each text of the service. */
    onevent: null,
    get readyState() {
      return socket.readyState;
    },
    send: (data) => socket.send(data),
    sendCommand: (command) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(command));
    },
    close: () => socket.close(),
  };
  let ending;
  let take = null;
  let isShown = false;
  const waiting = [];
  const receive = (message) => {
    if (take === null) return waiting.push(message);
    take(message);
    if (isShown || !hasPixels(message.data)) return;
    isShown = true;
    onFrame?.();
  };
  socket.addEventListener('open', () => socket.send(JSON.stringify({ ticket })));
  socket.addEventListener('message', (message) => {
    if (typeof message.data !== 'string') return receive(message);
    const event = JSON.parse(message.data);
    if (event.type === 'ready') onReady(event, channel);
    else if (event.type === 'closed') ending = event;
    else channel.onevent?.(event);
  });
  socket.addEventListener('close', (event) => {
    channel.onclose?.(event);
    onClosed(ending);
  });
  return channel;
}

/** RFB's FramebufferUpdate, and where the encoding of its first rectangle is. */
const UPDATE = 0;
const ENCODING_AT = 12;
/** Encodings of pixels; larger and negative numbers are of the pointer's image and the screen's size. */
const MOST_ENCODING = 255;

/** Whether a message of the server is an update that begins with pixels. */
function hasPixels(message) {
  if (message.byteLength < ENCODING_AT + 4) return false;
  const view = new DataView(message);
  const encoding = view.getInt32(ENCODING_AT);
  return view.getUint8(0) === UPDATE && encoding >= 0 && encoding <= MOST_ENCODING;
}
