import { keyHandlers } from './accounts/keys.js';
import { ownerHandlers } from './accounts/owners.js';
import { actionHandlers } from './actions.js';
import { computerHandlers } from './computers.js';
import { eventHandlers } from './events.js';
import { fileHandlers } from './files.js';
import type { Handlers } from './handlers.js';
import { imageHandlers } from './images.js';
import { jobHandlers } from './jobs.js';
import { projectHandlers } from './projects.js';
import { streamHandlers } from './streams.js';
import { viewHandlers } from './view.js';

/** The handler of each operation; the type requires that none is missing. */
export const handlers: Handlers = {
  ...projectHandlers,
  ...computerHandlers,
  ...actionHandlers,
  ...eventHandlers,
  ...fileHandlers,
  ...imageHandlers,
  ...jobHandlers,
  ...keyHandlers,
  ...ownerHandlers,
  ...streamHandlers,
  ...viewHandlers,
};
