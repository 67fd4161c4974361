export { type AddressRules, resolveTarget } from './addresses.js';
export { dial } from './dial.js';
export type { Source } from './frame-pacer.js';
export { type PublishOptions, publish } from './publish.js';
export { type ReconnectingStatus, ReconnectingStream } from './reconnecting-stream.js';
export { type Recording, record } from './record.js';
export { type Endpoint, parseTarget, type Target } from './target.js';
export type { VideoOptions } from './video.js';
