/**
 * Values of the contract that its schemas, the client and the command line share. Apart from the
 * schemas, which take a client long to load.
 */

/** Version of the HTTP interface, in the header `x-api-version` of every answer. */
export const API_VERSION = '1';

/** Where a service listens. */
export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 4700;
/** Base address of a service on this machine; all paths of the contract are relative to it. */
export const DEFAULT_BASE_URL = `http://${DEFAULT_HOST}:${DEFAULT_PORT}/api`;

export const OPERATING_SYSTEMS = ['linux', 'windows'] as const;
/** Memory of a computer in GB. */
export const RAM_SIZES = [2, 4, 8] as const;
/** Cores of a computer. */
export const CPU_COUNTS = [2, 4, 8] as const;
export const GPUS = ['none', 'T4', 'A10'] as const;

export const COMPUTER_STATUSES = [
  'starting',
  'running',
  'stopping',
  'stopped',
  'deleting',
  'error',
] as const;

/** Types of events that can be asked for. */
export const EVENT_TYPES = [
  'computer.created',
  'computer.status',
  'computer.deleted',
  'project.created',
  'project.deleted',
  'job.exited',
  'action',
] as const;

/** Computers that an owner may be allowed to run at once. */
export const MOST_RUNNING = 10_000;
/** `administrator`: may manage the owners of the service. */
export const ROLES = ['administrator', 'member'] as const;

export const MOUSE_BUTTONS = ['left', 'right', 'middle'] as const;
export const SCROLL_DIRECTIONS = ['up', 'down', 'left', 'right'] as const;
export const IMAGE_FORMATS = ['png', 'jpeg', 'webp'] as const;
/** Frames a second of a stream or recording. */
export const FRAME_RATES = [15, 30, 60] as const;

/** Actions in one batch at most. */
export const MAX_BATCH = 100;

/** How long actions take when the request does not say, in seconds. */
export const DEFAULT_SECONDS = { bash: 200, exec: 10, wait: 10, drag: 0.5 } as const;
