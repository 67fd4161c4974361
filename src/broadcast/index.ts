export { type AddressRules, resolveTarget } from './addresses.js';
export { Broadcast, type BroadcastStatus } from './broadcast.js';
export type { Source } from './frame-pacer.js';
export { type PublishOptions, publish } from './publish.js';
export { type Recording, record } from './record.js';
export { parseTarget, type Target } from './target.js';
export type { VideoOptions } from './video.js';
