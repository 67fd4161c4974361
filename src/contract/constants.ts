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

/** Pixels of a picture in a list of computers. */
export const THUMBNAIL_WIDTH = 320;

/** Close code of a WebSocket whose API key or session has ended. */
export const KEY_ENDED = 4401;

export const OPERATING_SYSTEMS = ['linux', 'windows'] as const;
/** Fields of a computer that can change, and may take effect only at its next start. */
export const RESIZABLE = ['cpu', 'ram', 'resolution'] as const;
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
  'computer.control',
  'computer.deleted',
  'snapshot.created',
  'snapshot.deleted',
  'image.created',
  'image.deleted',
  'project.created',
  'project.renamed',
  'project.deleted',
  'job.exited',
  'action',
] as const;

/** Stand for types of events: a type, all with the same beginning, or all. */
export const EVENT_PATTERNS = [
  ...EVENT_TYPES,
  'computer.*',
  'snapshot.*',
  'image.*',
  'project.*',
  '*',
] as const;

/** Computers that an owner may be allowed to run at once. */
export const MOST_RUNNING = 10_000;
/** GB that the snapshots, images and volumes of an owner may be allowed to take. */
export const MOST_STORAGE = 1_000_000;
/** The same unless the service or the owner has another limit. */
export const DEFAULT_STORAGE = 50;
/** What a budget of an API key may be at most. */
export const MOST_BUDGET = {
  computers: 1_000_000,
  hours: 1_000_000,
  actions: 1_000_000_000,
} as const;
/** Copies that one fork makes at most. */
export const MAX_FORKS = 16;
/** `administrator`: may manage the owners of the service. */
export const ROLES = ['administrator', 'member'] as const;

/** What an API key may do; each includes those before it. */
export const RIGHTS = ['look', 'act', 'manage'] as const;

export const MOUSE_BUTTONS = ['left', 'right', 'middle', 'back', 'forward'] as const;
export const SCROLL_DIRECTIONS = ['up', 'down', 'left', 'right'] as const;
export const IMAGE_FORMATS = ['png', 'jpeg', 'webp'] as const;
/** Frames a second of a stream or recording. */
export const FRAME_RATES = [15, 30, 60] as const;

/** Pixels that count as one step of the mouse wheel. */
export const SCROLL_STEP_PIXELS = 100;
/** Pixels that one action scrolls at most: 100 steps. */
export const MAX_SCROLL_PIXELS = 10_000;
/** Milliseconds that one action holds keys at most. */
export const MAX_HOLD_MS = 300_000;

/** Shapes in which models call a computer. */
export const DIALECTS = [
  'anthropic',
  'anthropic-20251124',
  'anthropic-20250124',
  'anthropic-20241022',
  'openai',
  'openai-preview',
  'gemini',
  'gemini-generate-content',
  'qwen',
  'ui-tars',
] as const;

/** Elements of a screen in an answer. */
export const ELEMENTS = { default: 250, max: 1000 } as const;
/** Id of an element: its bus, its program on it, and its path or the end of it. */
export const ELEMENT_ID =
  /^([0-9a-f]{8}-\d{1,9}\.\d{1,9}-([A-Za-z0-9_]{1,100}|(\/[A-Za-z0-9_]{1,100}){1,10})|text(-\d{1,5}){4})$/;

/** Where things on the screen are found: in what programs describe, or in its picture. */
export const SOURCES = ['elements', 'text'] as const;

/** Elements that are marked in a picture at most. */
export const MAX_MARKS = 200;
/** Id of a picture with marks. */
export const FRAME_ID = /^frm_[0-9a-f]{12}$/;

/** Actions in one batch at most. */
export const MAX_BATCH = 100;
/** Characters of the texts that one batch types at most in all, with the values of secrets. */
export const MAX_BATCH_TEXT = 200_000;
/** Characters of the calls of a model that are texts, at most in one request. */
export const MAX_TURN_TEXT = 200_000;

/** Defaults of `quiet_ms` and `max_ms` of `settle`. */
export const SETTLE_MS = { quiet: 100, max: 2000 } as const;

/** How long actions take when the request does not say, in seconds. */
export const DEFAULT_SECONDS = { bash: 200, exec: 10, wait: 10, drag: 0.5 } as const;

/** With the id of a run it makes the name of a project. */
export const TASK_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/;
export const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
export const MAX_RUN_TASKS = 1_000;

/** Seconds that the actions of a computer are recorded at most. */
export const MAX_TRAJECTORY_SECONDS = 4 * 3600;
/** What ends the recording of actions. */
// biome-ignore format: one line
export const TRAJECTORY_ENDS = ['request', 'limit', 'key', 'computer', 'service', 'failure'] as const;
/** The media type of a trajectory as one file. */
export const TRAJECTORY_TYPE = 'application/x-tar';

export const IMAGE_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
export const SNAPSHOT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** As a snapshot's. */
export const VOLUME_NAME = SNAPSHOT_NAME;
/** Labels of a computer, at most, and what their names and values consist of. */
export const MAX_LABELS = 32;
export const LABEL_KEY = /^[A-Za-z0-9._/-]{1,63}$/;
export const LABEL_VALUE = /^[A-Za-z0-9._/-]{0,63}$/;
/** A condition on labels: `NAME=VALUE`, or `NAME` for any value. */
export const LABEL_SELECTOR = /^[A-Za-z0-9._/-]{1,63}(=[A-Za-z0-9._/-]{0,63})?$/;
/** What happens to a computer that was idle for its `auto_stop_minutes`. */
export const ON_IDLE = ['stop', 'delete'] as const;
/** Seconds after which a computer can expire. */
export const EXPIRY_SECONDS = { least: 60, most: 365 * 86_400 } as const;
export const PROJECT_NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const PROJECT_ID = /^prj_[0-9a-z]{20}$/;
export const KEY_ID = /^key_[0-9a-z]{20}$/;
