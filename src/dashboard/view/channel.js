/**
 * Opens the live view's WebSocket, and gives noVNC a channel that carries the binary messages
 * alone; texts are the service's and the page's own. `onReady(event, channel)` is called once the
 * ticket was taken, `onClosed(event)` at the end, with the service's reason if there was time for it.
 * Returns the channel.
 */
export function openChannel(address, ticket, { onReady, onClosed }) {
  const url = new URL(address);
  url.protocol = /^(https|wss):$/.test(url.protocol) ? 'wss:' : 'ws:';
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  const channel = {
    binaryType: 'arraybuffer',
    protocol: '',
    onopen: null,
    onmessage: null,
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
  socket.addEventListener('open', () => socket.send(JSON.stringify({ ticket })));
  socket.addEventListener('message', (message) => {
    if (typeof message.data !== 'string') return channel.onmessage?.(message);
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
