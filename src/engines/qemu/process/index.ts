export { NotListening } from '../../socket-file.js';
export { type Account, giveToMachine, prepareDirectory } from './account.js';
export { waitForEnd } from './end.js';
export { currentBootId, type ProcessIdentity, processIs, signalProcess } from './identity.js';
export { LaunchError, type Launched, type LaunchRequest, launch } from './launch.js';
export { lastWords } from './log.js';
export { type Ended, type LaunchRecord, readRecord } from './record.js';
export { connectSocket, dialGuestPort } from './socket.js';
