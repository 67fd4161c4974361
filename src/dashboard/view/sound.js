/** Seconds between the arrival of sound and its playing, which evens out irregular arrivals. */
const DELAY = 0.08;
/** Seconds beyond which sound is too late, and playing continues with the newest. */
const LATEST = 0.4;

const CONFIG = { codec: 'opus', sampleRate: 48000, numberOfChannels: 2 };

/**
 * Whether this browser can play the sound; a text says why not. WebCodecs exist on secure pages only.
 */
export async function whyNoSound() {
  if (!isSecureContext) return 'Sound needs HTTPS, or a page on localhost.';
  const supported = await globalThis.AudioDecoder?.isConfigSupported(CONFIG).catch(() => undefined);
  return supported?.supported ? undefined : 'This browser cannot decode Opus with WebCodecs.';
}

/**
 * Plays the sound of a computer: Opus packets of a WebSocket at `address`. Has to be called by a click,
 * without which browsers play nothing. `onEnd(reason)` is called when the sound ends by itself.
 * Returns a function that ends it.
 */
export function playSound(address, ticket, onEnd) {
  const context = new AudioContext({ latencyHint: 'interactive' });
  const decoder = new AudioDecoder({ output: play, error: (error) => stop(error.message) });
  decoder.configure(CONFIG);
  const url = new URL(address);
  url.protocol = /^(https|wss):$/.test(url.protocol) ? 'wss:' : 'ws:';
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  let next = 0;
  let timestamp = 0;
  let isOver = false;
  let reason = 'The connection was lost.';

  function play(data) {
    const { numberOfChannels, numberOfFrames, sampleRate } = data;
    const buffer = context.createBuffer(numberOfChannels, numberOfFrames, sampleRate);
    for (let plane = 0; plane < numberOfChannels; plane++) {
      data.copyTo(buffer.getChannelData(plane), { planeIndex: plane, format: 'f32-planar' });
    }
    data.close();
    const now = context.currentTime;
    if (next < now || next > now + LATEST) next = now + DELAY;
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    source.start(next);
    next += buffer.duration;
  }

  function stop(why) {
    if (isOver) return;
    isOver = true;
    socket.close();
    if (decoder.state !== 'closed') decoder.close();
    void context.close();
    if (why !== undefined) onEnd(why);
  }

  socket.addEventListener('open', () => socket.send(JSON.stringify({ ticket })));
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') {
      reason = JSON.parse(data).reason ?? reason;
    } else if (context.state === 'running' && decoder.decodeQueueSize < 25) {
      decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp, data }));
      timestamp += 20_000;
    }
  });
  socket.addEventListener('close', () => stop(reason));
  void context.resume();
  return () => stop();
}
