// Generated from the contract by `npm run build`. Editors show the comments, which zod's types lack.

/** An entry of the audit log of a computer. */
export interface Action {
  /** Grows with time. */
  id: number;
  /** When the action began. */
  at: string;
  /** Name of the operation. */
  action: string;
  /** Coordinates, settings and lengths. Texts, commands, code and paths are never recorded. */
  detail: Record<string, string | number | boolean>;
  /** Id of the API key; `service` for what the service did by itself. */
  key_id: string;
  /**
   * Name of the API key; null if the key was revoked or is an administrator's, and for the
   * service.
   */
  key_name: string | null;
  /** `ok`, the code of the error, or `cancelled` if the client disconnected or ended it. */
  outcome: string;
  /** Duration in milliseconds. */
  ms: number;
}

/** A page of the audit log of a computer. */
export interface ActionList {
  /** Newest first. */
  actions: Action[];
}

/** The input has reached the display server. */
export interface ActionResult {
  /** Always true; an error has another status. */
  success: true;
  /** With `settle`: false if the screen was still changing after `max_ms`. */
  settled?: boolean | undefined;
}

/** An entry of the audit log of an owner. */
export interface AuditEntry extends Action {
  /** Null for operations on no computer: on keys, projects, connections and owners. */
  computer_id: string | null;
}

/** A page of the audit log of an owner. */
export interface AuditLog {
  /** Newest first. */
  entries: AuditEntry[];
}

/** A command to run. */
export interface Bash {
  /**
   * A script for `bash`, which runs as `user` in the environment of the desktop; a batch file
   * for `cmd` with `os: "windows"`.
   */
  command: string;
  /**
   * Seconds until the process group is killed; not for a background command. 0.1 to 86400.
   * @default 200
   */
  timeout?: number | undefined;
  /** Working directory, relative to the home directory, which is the default. */
  cwd?: string | undefined;
  /** Environment variables, up to 256, in addition to those of the desktop. */
  env?: Record<string, string> | undefined;
  /**
   * Answers at once with `job_id`; the command continues as a job.
   * @default false
   */
  background?: boolean | undefined;
}

/** A line of the streamed answer of a command. */
export type BashLine = {
  /** Standard output. */
  type: 'stdout';
  /** A piece of the output. */
  data: string;
} | {
  /** Standard error. */
  type: 'stderr';
  /** A piece of the output. */
  data: string;
} | {
  /** The last line. */
  type: 'exit';
  /** True if the command ran to its end, with any exit code; false after a time-out. */
  success: boolean;
  /** Null if a signal or the time-out ended the command, or if it is in the background. */
  exit_code: number | null;
  /** True if the command was ended at its `timeout`. */
  timed_out: boolean;
} | {
  /** The last line. */
  type: 'error';
  /** Code of the error. */
  code: string;
  /** What went wrong. */
  error: string;
};

/** How a command ended, and what it printed. */
export interface BashResult {
  /** True if the command ran to its end, with any exit code; false after a time-out. */
  success: boolean;
  /** Standard output, then standard error. */
  output: string;
  /** Standard output, up to 1 MiB. */
  stdout: string;
  /** Standard error, up to 1 MiB. */
  stderr: string;
  /** Null if a signal or the time-out ended the command, or if it is in the background. */
  exit_code: number | null;
  /** True if the command was ended at its `timeout`. */
  timed_out: boolean;
  /** True if a stream had more than 1 MiB; the rest is lost. */
  truncated: boolean;
  /** With `background`: the process id in the computer, also of the process group. */
  pid?: number | undefined;
  /** With `background`: the id of the job. */
  job_id?: string | undefined;
}

/** The operation `bash` as an action of a batch. */
export interface BashStep extends Bash {
  /** Name of the operation. */
  action: 'bash';
}

/** Actions to run. */
export interface Batch {
  /**
   * Run in this order, until the first failure. The texts that they type have at most 200,000
   * characters in all, with the values of secrets.
   */
  actions: BatchAction[];
}

/** The fields of an operation, and its name in `action`. */
export type BatchAction = ClickStep | MoveStep | DragStep | ScrollStep | MouseDownStep | MouseUpStep | TypeStep | PressKeyStep | KeyDownStep | KeyUpStep | CursorStep | BashStep | ExecStep | WaitStep | ScreenshotStep;

/** The error of an action of a batch. */
export interface BatchFailure {
  /** Always false. */
  success: false;
  /** What went wrong, in one line. */
  error: string;
  /** The code of the error, as in the header `x-error-code`. */
  code: string;
  /** What to do next, as in the header `x-error-remedy`, but not encoded. */
  remedy?: string | undefined;
}

/** What the actions of a batch answered. */
export interface BatchResult {
  /** True if every action succeeded. */
  success: boolean;
  /**
   * The answer of each action in order. After a failure, the last one is a `BatchFailure`, or
   * the result of Python code that raised an exception.
   */
  results: Array<Screenshot | BashResult | ExecResult | WaitResult | CursorPosition | ActionResult | BatchFailure>;
}

/** Where a client of the browser connects. */
export interface Browser {
  /**
   * Address for one connection of a client of the Chrome DevTools Protocol, which needs no
   * key.
   */
  ws_url: string;
  /** Until when it can be used. */
  expires_at: string;
  /** False if the browser was running already. */
  started: boolean;
}

/** The browser, as Chromium describes it. */
export interface BrowserVersion {
  /** Name and version. */
  Browser: string;
  /** Version of the protocol. */
  'Protocol-Version': string;
  /** What the browser sends to servers. */
  'User-Agent': string;
  /** Version of the JavaScript engine. */
  'V8-Version': string;
  /** Version of the rendering engine. */
  'WebKit-Version': string;
  /** Address for one connection, within a minute. */
  webSocketDebuggerUrl: string;
}

/** A click with the mouse, on a position or an element. */
export interface Click {
  /** Position: pixels from the left edge, 0 to the width less 1; fractions are rounded. */
  x?: number | undefined;
  /** Position: pixels from the top edge, 0 to the height less 1; fractions are rounded. */
  y?: number | undefined;
  /** An element of `elements` to click in the middle of, instead of `x` and `y`. */
  element?: string | undefined;
  /**
   * The mouse button.
   * @default 'left'
   */
  button?: 'left' | 'right' | 'middle' | 'back' | 'forward' | undefined;
  /**
   * Clicks twice; the same as `clicks: 2`.
   * @default false
   */
  double?: boolean | undefined;
  /** How often to click. Without it once, or as `double` says. 1 to 3. */
  clicks?: number | undefined;
  /** Names of keys that are held down during the action. */
  keys?: string[] | undefined;
  /**
   * The `scale` of the screenshot that the coordinates were read from; they are divided by it.
   * Without it they are pixels of the screen. 0.05 to 1.
   */
  scale?: number | undefined;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `click` as an action of a batch. */
export interface ClickStep extends Click {
  /** Name of the operation. */
  action: 'click';
}

/** The text of the clipboard. */
export interface Clipboard {
  /** Empty if nothing, or something else than a text, has been copied. */
  text: string;
}

/** A machine of a cluster, which runs computers. */
export interface ClusterMember {
  /** Name of the member. */
  name: string;
  /** Engine that the cluster belongs to, for example `incus`. */
  engine: string;
  /**
   * `offline`: it does not answer; its computers may run on. `evacuated`: the cluster gives it
   * no computers. `draining`: the service moves its computers to others; `drained`: it has
   * none left.
   */
  status: 'online' | 'offline' | 'evacuated' | 'draining' | 'drained';
  /** What the cluster says about the status, in one line. */
  detail: string;
  /** Host and port of the member. */
  address: string;
  /** Processor architecture. */
  architecture: string;
  /** Groups of the cluster that it belongs to. */
  groups: string[];
  /** Number of cores; null if it is not known. */
  cpu: number | null;
  /** Memory in use; null if it is not known. */
  memory_used_bytes: number | null;
  /** Memory; null if it is not known. */
  memory_total_bytes: number | null;
  /** Used space for disks of computers; null if it is not known. */
  disk_used_bytes: number | null;
  /** Space for disks of computers; null if it is not known. */
  disk_total_bytes: number | null;
  /** Computers of the service on it, of all owners. */
  computer_count: number;
  /** Those that run. */
  running_count: number;
  /** Null for a member that may have computers. */
  drain: MemberDrain | null;
}

/** Members of the cluster. */
export interface ClusterMemberList {
  /** By name. */
  members: ClusterMember[];
}

/** A virtual computer. */
export interface Computer {
  /** Id of the computer. */
  id: string;
  /** Unique in its project. */
  name: string;
  /** `windows` runs Windows programs with Wine, or an imported Windows disk. */
  os: 'linux' | 'windows';
  /** Memory in GB. */
  ram: number;
  /** Number of cores. */
  cpu: number;
  /** GPU, or `none`. */
  gpu: string;
  /**
   * `running` can be used. `starting`, `stopping` and `deleting` pass; after `error`,
   * `status_reason` says why.
   */
  status: 'starting' | 'running' | 'stopping' | 'stopped' | 'deleting' | 'error';
  /** Why the computer failed or was stopped, in one line. */
  status_reason?: string | undefined;
  /** Id of the project. */
  project_id: string;
  /** Name of the project. */
  project_name: string;
  /** When the computer was created. */
  created_at: string;
  /** When it was last started; null before that. */
  started_at: string | null;
  /**
   * Address of the live view without a ticket: it shows no screen and explains how to get a
   * link.
   */
  url: string | null;
  /** Engine that runs the computer, for example `qemu`. */
  engine: string;
  /** `container`; `vm`: a virtual machine with KVM; `emulated`: one without it. */
  isolation: 'container' | 'vm' | 'emulated';
  /**
   * Member of the cluster that it is on; null without a cluster, and until it is created
   * there.
   */
  member: string | null;
  /** Name of the machine image. */
  image: string;
  /** Size of the screen when the computer starts; screenshots have its present size. */
  resolution: ScreenSize;
  /** Minutes without a request after which the computer is stopped; null: never. */
  auto_stop_minutes: number | null;
  /** True if the computer cannot be deleted. */
  protected: boolean;
  /** The API key that created it, also after that was revoked; null if it is not known. */
  created_by: {
    /** Id of the key. */
    id: string;
    /** Name of the key; null if it is not known. */
    name: string | null;
    /** How the key begins; null if it is not known. */
    prefix: string | null;
  } | null;
  /** Who alone gives input to it; null if nobody does. */
  control: Control | null;
}

/** Computers of a project. */
export interface ComputerList {
  /** Oldest first. */
  computers: Computer[];
}

/** Computers of all projects. */
export interface ComputerPage {
  /** The computers of this page. */
  computers: Computer[];
  /** For the next page; null after the last one. */
  next_cursor: string | null;
}

/** What a running computer uses of its host. */
export interface ComputerStats {
  /** When this was measured. */
  at: string;
  /**
   * Load since the last request for this computer, or over half a second if there was none in
   * the last minute; 100 is one whole core.
   */
  cpu_percent: number;
  /** Processor time in seconds since the computer was started. */
  cpu_seconds: number;
  /** Number of cores. */
  cpu: number;
  /** Memory of the host that is in use. */
  memory_used_bytes: number;
  /** Memory of the computer. */
  memory_total_bytes: number;
  /** What the computer has written, without its image. */
  disk_used_bytes: number;
  /** Size of the disk; null if only the disk of the host limits it. */
  disk_total_bytes: number | null;
}

/** The calls of a model. */
export interface ComputerUse {
  /**
   * The calls of one turn as the model wrote them, in order. Texts and reasoning between them
   * are ignored. Calls that are texts have at most 200,000 characters in all.
   */
  items: Array<Record<string, unknown> | string>;
  /**
   * The shape of the items. Without it recognized by their envelope; required for actions
   * without one.
   */
  dialect?: 'anthropic' | 'anthropic-20251124' | 'anthropic-20250124' | 'anthropic-20241022' | 'openai' | 'openai-preview' | 'gemini' | 'gemini-generate-content' | 'qwen' | 'ui-tars' | undefined;
  /** Ids of safety checks, from `confirm` of an answer, that a person has confirmed. */
  acknowledge?: string[] | undefined;
  /**
   * Names of secrets of the project that may be typed: `{{secret:NAME}}` in a text stands for
   * the value. Without it none may be.
   */
  secrets?: string[] | undefined;
  /**
   * Format of the pictures.
   * @default 'png'
   */
  format?: 'png' | 'jpeg' | 'webp' | undefined;
  /**
   * Quality of `jpeg` and `webp`; `png` is lossless. 1 to 100.
   * @default 80
   */
  quality?: number | undefined;
  /**
   * Pixels of the longer edge of a picture at most, 1280 without it; never more than the
   * vendor accepts. 64 to 3840.
   */
  max_edge?: number | undefined;
  /**
   * Waits before a picture until the screen is stable, at most 2 s.
   * @default true
   */
  settle?: boolean | undefined;
}

/** The results for the model. */
export interface ComputerUseResult {
  /** True if every call was carried out. */
  success: boolean;
  /** The result items for the model, to be appended to its input unchanged. */
  results: Array<Record<string, unknown> | string>;
  /** The pictures among the results. Coordinates belong to the last that is whole. */
  frames: Array<{
    /** Id of the picture. */
    id: string;
    /** Pixels. */
    width: number;
    /** Pixels. */
    height: number;
    /** The screen's size. */
    screen: {
      /** Pixels. */
      width: number;
      /** Pixels. */
      height: number;
    };
    /** False for a picture of a part of the screen. */
    whole: boolean;
  }>;
  /**
   * Another has had control since the last picture of this key: a sentence for the model. It
   * is also in `results` where their shape has a text.
   */
  control_notice?: string | undefined;
  /**
   * Safety checks that a person has to confirm. The call and those after it were not carried
   * out: send the same items again with `acknowledge`.
   */
  confirm: Array<{
    /** Id of the call. */
    call_id: string;
    /** Id of the check. */
    id: string;
    /** The vendor's code. */
    code?: string | undefined;
    /** What to confirm. */
    message?: string | undefined;
  }>;
}

/** Tool declarations. */
export interface ComputerUseTools {
  /** The tools to declare to the model. */
  tools: Array<Record<string, unknown> | string>;
}

/** A saved stream target. */
export interface Connection {
  /** Name of a stream target. */
  name: string;
  /** The URL without the stream's name and the query, which can be secret. */
  url: string;
  /** True if something is stored that is not shown: a stream key or the rest of the URL. */
  has_stream_key: boolean;
  /** When the connection was created. */
  created_at: string;
}

/** Stream targets of the owner. */
export interface ConnectionList {
  /** Sorted by name. */
  connections: Connection[];
}

/** Who alone gives input to a computer. */
export interface Control {
  /** Who has it. */
  holder: {
    /** Id of the API key. */
    key_id: string;
    /** Name of the API key. */
    key_name: string | null;
    /** A session of the web page has it, not every request of the key. */
    session: boolean;
  };
  /** When it was taken. */
  since: string;
  /** When it ends without a sign of its holder. */
  expires_at: string;
}

/** Who has control of a computer. */
export interface ControlState {
  /** Who has control; null if nobody has it alone. */
  control: Control | null;
  /** Whether this client has it. */
  is_mine: boolean;
}

/** A computer to create. */
export interface CreateComputer {
  /** Free text without control characters, unique in its project. */
  name: string;
  /** Without it that of the image, and without an image `linux`. */
  os?: 'linux' | 'windows' | undefined;
  /**
   * Memory in GB.
   * @default 2
   */
  ram?: 2 | 4 | 8 | undefined;
  /**
   * Number of cores.
   * @default 2
   */
  cpu?: 2 | 4 | 8 | undefined;
  /**
   * Only `none` is available in this version.
   * @default 'none'
   */
  gpu?: 'none' | 'T4' | 'A10' | undefined;
  /** Size of the screen in pixels: `{width, height}`, or a text such as `1280x800`. */
  resolution?: {
    /** Pixels. 320 to 3840. */
    width: number;
    /** Pixels. 240 to 2160. */
    height: number;
  } | string | undefined;
  /** Name of a machine image of `GET /images`. Without it the one for `os`. */
  image?: string | undefined;
  /** Name of an engine of `GET /health`. Without it the preferred engine that has the image. */
  engine?: string | undefined;
  /** Member of the cluster to create it on. Without it the cluster chooses one. */
  member?: string | undefined;
  /** Group of members, of which the cluster chooses one. Not together with `member`. */
  group?: string | undefined;
  /** Minutes without a request after which the computer is stopped; null: never. */
  auto_stop_minutes?: number | null | undefined;
  /**
   * A protected computer cannot be deleted.
   * @default false
   */
  protected?: boolean | undefined;
}

/** A new computer and its project. */
export interface CreateComputerIn extends CreateComputer {
  /** Name or id of the project. */
  project: string;
}

/** A stream target to save. */
export interface CreateConnection {
  /** Unique among the connections of the owner. */
  name: string;
  /** An `rtmp` or `rtmps` URL, with the stream key or without it. */
  url: string;
  /** Stored encrypted and never shown again; omitted if the URL contains it. */
  stream_key?: string | undefined;
}

/** An API key to create. */
export interface CreateKey {
  /** What the key is for. */
  name: string;
  /**
   * `look`: lists, states and screens. `act`: also uses computers and what is in them.
   * `manage`: also creates, changes and deletes.
   * @default 'manage'
   */
  rights?: 'look' | 'act' | 'manage' | undefined;
  /** Name or id of the only project that the key is for; null for all. */
  project?: string | null | undefined;
  /** When the key ends; null for never. */
  expires_at?: string | null | undefined;
}

/** An owner to create. */
export interface CreateOwner {
  /** Unique in the service; does not begin with `usr_`. */
  name: string;
  /** Computers that may run at once; null: the service's limit. */
  max_running?: number | null | undefined;
}

/** An API key to create for an owner. */
export interface CreateOwnerKey {
  /** What the key is for. */
  name: string;
}

/** A project to create. */
export interface CreateProject {
  /** Unique among the projects of the owner; `by-name` and the form of an id are reserved. */
  name: string;
}

/** Exactly one of `login` and `key`, and how. */
export interface CreateSession {
  /** The token of a link. */
  login?: string | undefined;
  /** An API key. */
  key?: string | undefined;
  /**
   * Opens it also if the browser has an open session of another API key, which ends.
   * @default false
   */
  replace?: boolean | undefined;
}

/** What the link allows. */
export interface CreateView {
  /**
   * `view` only shows the screen; `control` also takes the viewer's mouse and keyboard.
   * @default 'control'
   */
  mode?: 'view' | 'control' | undefined;
}

/** An API key with its text. */
export interface CreatedKey extends Key {
  /** The text of the key. It is shown only once. */
  key: string;
}

/** The owner with its first API key. */
export interface CreatedOwner extends Owner {
  key: CreatedKey;
}

/** Where the pointer was last moved to by a client of the service. */
export interface CursorPosition {
  /** Always true; an error has another status. */
  success: true;
  /** Pixels from the left edge. */
  x: number;
  /** Pixels from the top edge. */
  y: number;
}

/** The operation `getCursor` as an action of a batch. */
export interface CursorStep {
  /** Name of the operation. */
  action: 'cursor';
}

/** A directory with its entries. */
export interface Directory {
  /** The absolute path. */
  path: string;
  /** Sorted by name; hidden files included. */
  entries: FileEntry[];
}

/** The directory exists. */
export interface DirectoryMade {
  /** Always true; an error has another status. */
  success: true;
  /** The absolute path. */
  path: string;
  /** False if the directory existed. */
  created: boolean;
}

/** A movement with a mouse button held down. */
export interface Drag {
  /** Start: pixels from the left edge, 0 to the width less 1; fractions are rounded. */
  start_x: number;
  /** Start: pixels from the top edge, 0 to the height less 1; fractions are rounded. */
  start_y: number;
  /** End: pixels from the left edge, 0 to the width less 1; fractions are rounded. */
  end_x: number;
  /** End: pixels from the top edge, 0 to the height less 1; fractions are rounded. */
  end_y: number;
  /**
   * The mouse button.
   * @default 'left'
   */
  button?: 'left' | 'right' | 'middle' | 'back' | 'forward' | undefined;
  /**
   * Seconds from press to release. 0 to 60.
   * @default 0.5
   */
  duration?: number | undefined;
  /** Points to pass between start and end, each `[x, y]`. Without it a straight line. */
  path?: Array<[number, number]> | undefined;
  /** Names of keys that are held down during the action. */
  keys?: string[] | undefined;
  /**
   * The `scale` of the screenshot that the coordinates were read from; they are divided by it.
   * Without it they are pixels of the screen. 0.05 to 1.
   */
  scale?: number | undefined;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `drag` as an action of a batch. */
export interface DragStep extends Drag {
  /** Name of the operation. */
  action: 'drag';
}

/** Something on the screen, as its program describes it. */
export interface Element {
  /** Valid while the element exists; `click` takes it. */
  id: string;
  /** What it is, in the words of AT-SPI. */
  role: string;
  /** Its label, at most 200 characters; often empty. */
  name: string;
  /** The text or number in it, at most 1000 characters; never that of a password. */
  value?: string | undefined;
  /** Such as `focused`, `checked`, `selected`, `expanded`, `editable`, `read-only`, `disabled`. */
  states: string[];
  /** The part on the screen, as `[x, y, width, height]` in pixels. */
  box: [number, number, number, number];
  /** What the program says can be done with it. */
  actions: string[];
}

/** Elements on the screen, those of the active window first. */
export interface Elements {
  /** In the order of reading. */
  elements: Element[];
  /** There are more: than `limit`, or than the programs told in time. */
  truncated: boolean;
}

/** The entry has its new path. */
export interface EntryRenamed {
  /** Always true; an error has another status. */
  success: true;
  /** The absolute path. */
  path: string;
}

/** Python code to run. */
export interface Exec {
  /** Python 3 source code. */
  code: string;
  /**
   * Seconds until the code is ended. 1 to 300.
   * @default 10
   */
  timeout?: number | undefined;
}

/** How Python code ended, and what it printed. */
export interface ExecResult {
  /** False after an exception or a time-out. */
  success: boolean;
  /** What the code printed. */
  output: string;
  /** The exception with its traceback. */
  error?: string | undefined;
  /** The exception's class. */
  error_type?: string | undefined;
  /** True if the code was ended at its `timeout`. */
  timed_out: boolean;
}

/** The operation `exec` as an action of a batch. */
export interface ExecStep {
  /** Python 3 source code. */
  code: string;
  /**
   * Seconds until the code is ended. 1 to 300.
   * @default 10
   */
  timeout?: number | undefined;
  /** Name of the operation. */
  action: 'exec';
}

/** An entry of a directory. */
export interface FileEntry {
  /** The last part of the path. */
  name: string;
  /** `link` is a symbolic link, `other` for example a socket. */
  type: 'file' | 'directory' | 'link' | 'other';
  /** Bytes. */
  size: number;
  /** Permissions in octal, four digits. */
  mode: string;
  /** When the content was changed last. */
  mtime: string;
  /** What a symbolic link contains. */
  target?: string | undefined;
}

/** A file or directory. Of a symbolic link, its target. */
export interface FileStatus extends FileEntry {
  /** The absolute path. */
  path: string;
}

/** The file was written. */
export interface FileWritten {
  /** Always true; an error has another status. */
  success: true;
  /** The absolute path, links resolved. */
  path: string;
  /** Bytes. */
  size: number;
}

/** Conditions, of which at least one is required. */
export interface FindElements {
  /** A part of the name or value, in any case. */
  text?: string | undefined;
  /** The role, or words of it: `button` also finds `toggle button`. */
  role?: string | undefined;
  /** The whole name, in any case. */
  name?: string | undefined;
  /**
   * Most elements in the answer. 1 to 1000.
   * @default 250
   */
  limit?: number | undefined;
}

/** The name of a copy. */
export interface ForkComputer {
  /** Name of the copy, unique in the project. */
  name: string;
}

/** State of the service. */
export interface Health {
  /** `ok` if the store and at least one engine can be used. */
  status: 'ok' | 'degraded';
  /** Version of the service; empty without a key. */
  version: string;
  /** Engines, the preferred one first. */
  engines: Array<{
    /** Name of the engine, for example `qemu`. */
    name: string;
    /** Whether it works. */
    usable: boolean;
    /** Its state in one line; empty without a key. */
    detail: string;
  }>;
  /** The database of the service. */
  store: {
    /** Whether it works. */
    usable: boolean;
    /** Its state in one line; empty without a key. */
    detail: string;
  };
}

/** A machine image or template. */
export interface Image {
  /** Name of the image. */
  name: string;
  /** Engine that has the image, for example `qemu`. */
  engine: string;
  /** Operating system of its computers. */
  os: 'linux' | 'windows';
  /**
   * `image` was built from a recipe, `disk` was imported, `template` is a booted machine that
   * others start from.
   */
  kind: 'image' | 'disk' | 'template';
  /** `stale`: the recipe, or the image of a template, has changed since. */
  status: 'ready' | 'stale';
  /** Size in bytes. */
  bytes: number;
  /** When it was made. */
  created_at: string;
  /** Hash of the recipe it was built from; null for an imported disk. */
  recipe_hash: string | null;
  /** Of a template: its key; otherwise null. */
  key: string | null;
  /** Of a template: number of cores; otherwise null. */
  cpu: number | null;
  /** Of a template: memory in GB; otherwise null. */
  ram: number | null;
  /** Of a template: the screen; otherwise null. */
  resolution: ScreenSize | null;
}

/** Machine images of the service. */
export interface ImageList {
  /** Images of all engines. */
  images: Image[];
  /** Engines that could not list their images. */
  failures: Array<{
    /** Name of the engine, for example `qemu`. */
    engine: string;
    /** Why, in one line. */
    reason: string;
  }>;
}

/** A command that was started with `background`. */
export interface Job {
  /** Id of the job. */
  id: string;
  /** Process id in the computer, also that of the process group. */
  pid: number;
  /** Whether the command has ended. */
  status: 'running' | 'exited';
  /**
   * 128 plus the signal's number if a signal ended the command. Null while it runs, and if the
   * computer stopped first.
   */
  exit_code: number | null;
  /** The beginning of the script. */
  command: string;
  /** When the command was started. */
  started_at: string;
  /** When it ended; null while it runs. */
  ended_at: string | null;
  /** Bytes of output that are kept, at most 16 MiB. */
  output_bytes: number;
  /** True if there was more output than is kept. */
  truncated: boolean;
}

/** Jobs of a computer. */
export interface JobList {
  /** The last 100 jobs. */
  jobs: Job[];
}

/** A job with a part of its output. */
export interface JobWithOutput extends Job {
  /** Standard output and standard error from `offset` on. */
  output: string;
  /** The `offset` at which to continue reading. */
  next_offset: number;
}

/** An API key, without its text. */
export interface Key {
  /** Id of the key. */
  id: string;
  /** What the key is for. */
  name: string;
  /** How the key begins; null if it is not known. */
  prefix: string | null;
  /**
   * `look`: lists, states and screens. `act`: also uses computers and what is in them.
   * `manage`: also creates, changes and deletes.
   */
  rights: 'look' | 'act' | 'manage';
  /** The only project that the key is for; null for all. */
  project: {
    /** Id of the project. */
    id: string;
    /** Name of the project. */
    name: string;
  } | null;
  /** When the key ends; null for never. */
  expires_at: string | null;
  /** When the key was created. */
  created_at: string;
  /** When it was last used; null before that. */
  last_used_at: string | null;
  /** Id of the key that created it; null for the first key of an owner. */
  created_by: string | null;
}

/** A key or combination of keys to press and hold. */
export interface KeyDown {
  /**
   * A key, or several joined by `+`: a character, `Enter`, `Page_Up`, `F5`, `ctrl+shift+t`.
   * Takes X keysym names and common aliases in any case.
   */
  key: string;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `keyDown` as an action of a batch. */
export interface KeyDownStep {
  /**
   * A key, or several joined by `+`: a character, `Enter`, `Page_Up`, `F5`, `ctrl+shift+t`.
   * Takes X keysym names and common aliases in any case.
   */
  key: string;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
  /** Name of the operation. */
  action: 'key_down';
}

/** API keys of the owner. */
export interface KeyList {
  /** Oldest first. */
  keys: Key[];
}

/** A key or combination of keys to release. */
export interface KeyUp {
  /**
   * A key, or several joined by `+`: a character, `Enter`, `Page_Up`, `F5`, `ctrl+shift+t`.
   * Takes X keysym names and common aliases in any case.
   */
  key: string;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `keyUp` as an action of a batch. */
export interface KeyUpStep {
  /**
   * A key, or several joined by `+`: a character, `Enter`, `Page_Up`, `F5`, `ctrl+shift+t`.
   * Takes X keysym names and common aliases in any case.
   */
  key: string;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
  /** Name of the operation. */
  action: 'key_up';
}

/** The link was made. */
export interface LinkMade {
  /** Always true; an error has another status. */
  success: true;
  /** The absolute path. */
  path: string;
}

/** A single-use link to the web page. */
export interface Login {
  /** What the link contains. It works once. */
  token: string;
  /** The link. The token is in the fragment, which browsers do not send. */
  url: string;
  /** Until when it can be opened. */
  expires_at: string;
}

/** A directory to make. */
export interface MakeDirectory {
  /**
   * Path in the computer: relative to the home directory unless it begins with `/`; `~/` is
   * the home directory. No other character is special.
   */
  path: string;
  /** Permissions in octal, as for `chmod`. */
  mode?: string | undefined;
  /**
   * Also creates missing parents.
   * @default false
   */
  recursive?: boolean | undefined;
}

/** A symbolic link to make. */
export interface MakeLink {
  /** Path of the link. */
  path: string;
  /** What the link contains. A relative target is relative to its directory. */
  target: string;
}

/** The owner of the API key. */
export interface Me {
  /** Id of the owner. */
  user_id: string;
  /** Name of the owner. */
  name: string;
  /** An `administrator` manages the owners of the service. */
  role: 'administrator' | 'member';
  /** The API key of this request. */
  key: {
    /** Id of the key. */
    id: string;
    /** Name of the key. */
    name: string;
    /**
     * `look`: lists, states and screens. `act`: also uses computers and what is in them.
     * `manage`: also creates, changes and deletes.
     */
    rights: 'look' | 'act' | 'manage';
    /** The only project that the key is for; null for all. */
    project: {
      /** Id of the project. */
      id: string;
      /** Name of the project. */
      name: string;
    } | null;
    /** When the key ends; null for never. */
    expires_at: string | null;
  };
  /** Computers that run now. */
  running: number;
  /** Computers that may run at once. */
  max_running: number;
}

/** How far a member is drained. */
export interface MemberDrain {
  /** When it was requested. */
  since: string;
  /** Id of the computer that is being moved. */
  moving: string | null;
  /**
   * Computers that could not be moved. They are tried again after a minute, and then after
   * twice as long each time, up to an hour; at once when the member is drained again.
   */
  failed: Array<{
    /** Id of the computer. */
    id: string;
    /** Why it was not moved. */
    error: string;
  }>;
}

/** A mouse button to press and hold. */
export interface MouseDown {
  /**
   * Position of the pointer, which is otherwise not moved: pixels from the left edge, 0 to the
   * width less 1; fractions are rounded.
   */
  x?: number | undefined;
  /**
   * Position of the pointer, which is otherwise not moved: pixels from the top edge, 0 to the
   * height less 1; fractions are rounded.
   */
  y?: number | undefined;
  /**
   * The mouse button.
   * @default 'left'
   */
  button?: 'left' | 'right' | 'middle' | 'back' | 'forward' | undefined;
  /** Names of keys that are held down during the action. */
  keys?: string[] | undefined;
  /**
   * The `scale` of the screenshot that the coordinates were read from; they are divided by it.
   * Without it they are pixels of the screen. 0.05 to 1.
   */
  scale?: number | undefined;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `mouseDown` as an action of a batch. */
export interface MouseDownStep extends MouseDown {
  /** Name of the operation. */
  action: 'mouse_down';
}

/** A mouse button to release. */
export interface MouseUp {
  /**
   * Position of the pointer, which is otherwise not moved: pixels from the left edge, 0 to the
   * width less 1; fractions are rounded.
   */
  x?: number | undefined;
  /**
   * Position of the pointer, which is otherwise not moved: pixels from the top edge, 0 to the
   * height less 1; fractions are rounded.
   */
  y?: number | undefined;
  /**
   * The mouse button.
   * @default 'left'
   */
  button?: 'left' | 'right' | 'middle' | 'back' | 'forward' | undefined;
  /** Names of keys that are held down during the action. */
  keys?: string[] | undefined;
  /**
   * The `scale` of the screenshot that the coordinates were read from; they are divided by it.
   * Without it they are pixels of the screen. 0.05 to 1.
   */
  scale?: number | undefined;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `mouseUp` as an action of a batch. */
export interface MouseUpStep extends MouseDown {
  /** Name of the operation. */
  action: 'mouse_up';
}

/** A movement of the mouse pointer. */
export interface Move {
  /** Position: pixels from the left edge, 0 to the width less 1; fractions are rounded. */
  x: number;
  /** Position: pixels from the top edge, 0 to the height less 1; fractions are rounded. */
  y: number;
  /** Names of keys that are held down during the action. */
  keys?: string[] | undefined;
  /**
   * The `scale` of the screenshot that the coordinates were read from; they are divided by it.
   * Without it they are pixels of the screen. 0.05 to 1.
   */
  scale?: number | undefined;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `move` as an action of a batch. */
export interface MoveStep extends Move {
  /** Name of the operation. */
  action: 'move';
}

/** How the browser is started. */
export interface OpenBrowser {
  /** Page that is opened in a tab. */
  url?: string | undefined;
  /**
   * Options of Chromium. Only for a browser that is started: error `conflict` if it runs
   * already.
   */
  args?: string[] | undefined;
  /**
   * `kept`: one browser with one profile, which stays. `temporary`: a browser with an empty
   * profile; both end with the connection.
   * @default 'kept'
   */
  profile?: 'kept' | 'temporary' | undefined;
}

/** A user of the service, with projects and API keys of its own. */
export interface Owner {
  /** Id of the owner. */
  id: string;
  /** Name of the owner. */
  name: string;
  /** An `administrator` manages the owners of the service. */
  role: 'administrator' | 'member';
  /** `deleting`: the keys are gone, the computers are being removed. */
  status: 'active' | 'deleting';
  /** Computers that may run at once; null: the service's limit. */
  max_running: number | null;
  /** Computers that are running. */
  running: number;
  /** Number of projects. */
  project_count: number;
  /** Number of computers, stopped ones included. */
  computer_count: number;
  /** When the owner was created. */
  created_at: string;
  /** Id of the key that created the owner; null for the first owner. */
  created_by: string | null;
}

/** Owners of the service. */
export interface OwnerList {
  /** Oldest first. */
  owners: Owner[];
}

/** A key or combination of keys to press. */
export interface PressKey {
  /**
   * A key, or several joined by `+`: a character, `Enter`, `Page_Up`, `F5`, `ctrl+shift+t`.
   * Takes X keysym names and common aliases in any case.
   */
  key: string;
  /** Milliseconds from press to release. Without it a short press. 0 to 300000. */
  hold_ms?: number | undefined;
  /** How often to press; once without it. `repeat` times `hold_ms` is at most 300000. 1 to 100. */
  repeat?: number | undefined;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `key` as an action of a batch. */
export interface PressKeyStep extends PressKey {
  /** Name of the operation. */
  action: 'key';
}

/** A message of the client to a process. */
export type ProcessControl = {
  /** Kind of the message. */
  type: 'stdin_end';
} | {
  /** Kind of the message. */
  type: 'signal';
  /** Name of the signal. */
  signal: 'INT' | 'TERM' | 'HUP' | 'KILL' | 'QUIT';
} | {
  /** Kind of the message. */
  type: 'resize';
  /** Characters in a line. 1 to 1000. */
  columns: number;
  /** Lines. 1 to 1000. */
  rows: number;
};

/** The last message of the service. */
export type ProcessEvent = {
  /** Kind of the message. */
  type: 'exit';
  /** Exit code; null if a signal ended the process. */
  code: number | null;
  /** Name of the signal that ended the process. */
  signal: string | null;
  /** True if it was ended at its `timeout`. */
  timed_out?: boolean | undefined;
  /** The exception of Python code with its traceback, which is not on standard error. */
  error?: string | undefined;
  /** The exception's class; `SystemExit` for `sys.exit` with a value but 0. */
  error_type?: string | undefined;
} | {
  /** Kind of the message. */
  type: 'error';
  /** The code of the error, as in the header `x-error-code`. */
  code: string;
  /** What went wrong and where, in one line. */
  error: string;
  /** What to do next. */
  remedy?: string | undefined;
};

/** What to run: exactly one of `argv`, `command` and `code`. */
export interface ProcessStart {
  /** The program and its arguments; no shell interprets them. */
  argv?: string[] | undefined;
  /** A script, as of the operation `bash`. A batch file (Windows) cannot read standard input. */
  command?: string | undefined;
  /** Python code, as of the operation `exec`. */
  code?: string | undefined;
  /** Working directory, relative to the home directory, which is the default. */
  cwd?: string | undefined;
  /** Environment variables, up to 256, in addition to those of the desktop. */
  env?: Record<string, string> | undefined;
  /** Seconds until the process group is ended. Without it there is no limit. 0.1 to 86400. */
  timeout?: number | undefined;
  /** Runs the process in a terminal of this size. Only with `argv`. */
  terminal?: {
    /** Characters in a line. 1 to 1000. */
    columns: number;
    /** Lines. 1 to 1000. */
    rows: number;
  } | undefined;
}

/** A group of computers. */
export interface Project {
  /** Id of the project. */
  id: string;
  /** Unique for its owner. */
  name: string;
  /** Id of the owner. */
  user_id: string;
  /** `active`, or `deleting` while its computers are being removed. */
  status: string;
  /** Number of computers. */
  computer_count: number;
  /** When the project was created. */
  created_at: string;
  /** When the project or its list of computers was last changed. */
  updated_at: string;
}

/** What happened to each computer of a project. */
export interface ProjectAction {
  /** True if no computer failed. */
  success: boolean;
  /** Every computer of the project. */
  computers: Array<{
    /** Id of the computer. */
    id: string;
    /** Name of the computer. */
    name: string;
    /** Its status now. */
    status: string;
    /** False if the computer had that status already, or if it failed. */
    changed: boolean;
    /** Why it failed, in one line. */
    error?: string | undefined;
    /** What to do next. */
    remedy?: string | undefined;
  }>;
}

/** Projects of the owner. */
export interface ProjectList {
  /** Oldest first. */
  projects: Project[];
}

/** A project with its computers. */
export interface ProjectWithComputers extends Project {
  /** Oldest first. */
  computers: Computer[];
}

/** The key was removed. */
export interface RemovedKey {
  /** Always true; an error has another status. */
  success: true;
  /** Keys that it had made, itself or through others, and that still work. */
  made: Array<{
    /** Id of the key. */
    id: string;
    /** Name of the key. */
    name: string;
    /** Name of its owner, if that is another one, for whom it was made. */
    owner?: string | undefined;
  }>;
}

/** A file, link or directory to rename or move. */
export interface RenameEntry {
  /**
   * Path in the computer: relative to the home directory unless it begins with `/`; `~/` is
   * the home directory. No other character is special.
   */
  path: string;
  /** The new path; a file that is there is replaced. */
  new_path: string;
}

/** Size of a screen. */
export interface ScreenSize {
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
}

/** An image of the screen. */
export interface Screenshot {
  /** Always true; an error has another status. */
  success: true;
  /** The image file in base64, without the prefix of a data URL. */
  image: string;
  /** Format of the image. */
  format: 'png' | 'jpeg' | 'webp';
  /**
   * Another has had control since the last picture of this key, until then: the screen may
   * have changed. Also in the header `x-control-returned`.
   */
  control_returned_at?: string | undefined;
  /** The same as a sentence for a model: whether a person had control, and until when. */
  control_notice?: string | undefined;
  /** Encoding of `image`. */
  encoding: 'base64';
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
}

/** The operation `screenshot` as an action of a batch. */
export interface ScreenshotStep {
  /** Name of the operation. */
  action: 'screenshot';
  /**
   * Format of the image.
   * @default 'png'
   */
  format?: 'png' | 'jpeg' | 'webp' | undefined;
  /**
   * Quality of `jpeg` and `webp`; `png` is lossless. 1 to 100.
   * @default 80
   */
  quality?: number | undefined;
  /**
   * Factor on width and height. 0.05 to 1.
   * @default 1
   */
  scale?: number | undefined;
  /** A part of the screen, as `[x, y, width, height]` in pixels. Without it the whole. */
  region?: [number, number, number, number] | undefined;
  /**
   * Draws the mouse pointer.
   * @default false
   */
  cursor?: boolean | undefined;
  /** Waits until the screen is stable first. */
  settle?: Settle | undefined;
}

/** A turn of the mouse wheel, by steps in a `direction` or by pixels. */
export interface Scroll {
  /** Where the content is scrolled to. Required without `delta_x` and `delta_y`. */
  direction?: 'up' | 'down' | 'left' | 'right' | undefined;
  /**
   * Steps of the wheel, with `direction`. 1 to 100.
   * @default 3
   */
  amount?: number | undefined;
  /**
   * Pixels to scroll to the right; negative for the opposite direction. 100 are one step of
   * the wheel; rounded, but at least one step. -10000 to 10000.
   */
  delta_x?: number | undefined;
  /**
   * Pixels to scroll down; negative for the opposite direction. 100 are one step of the wheel;
   * rounded, but at least one step. -10000 to 10000.
   */
  delta_y?: number | undefined;
  /**
   * Position of the pointer, which is otherwise not moved: pixels from the left edge, 0 to the
   * width less 1; fractions are rounded.
   */
  x?: number | undefined;
  /**
   * Position of the pointer, which is otherwise not moved: pixels from the top edge, 0 to the
   * height less 1; fractions are rounded.
   */
  y?: number | undefined;
  /** Names of keys that are held down during the action. */
  keys?: string[] | undefined;
  /**
   * The `scale` of the screenshot that the coordinates were read from; they are divided by it.
   * Without it they are pixels of the screen. 0.05 to 1.
   */
  scale?: number | undefined;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `scroll` as an action of a batch. */
export interface ScrollStep extends Scroll {
  /** Name of the operation. */
  action: 'scroll';
}

/** A secret of a project, without its value. */
export interface Secret {
  /** Unique in its project. */
  name: string;
  /** When the secret was created. */
  created_at: string;
  /** When its value was last set. */
  updated_at: string;
}

/** Secrets of a project, without their values. */
export interface SecretList {
  /** Sorted by name. */
  secrets: Secret[];
}

/** The data of a server-sent event. */
export type ServiceEvent = {
  /** Kind of the event. */
  type: 'computer.created';
  /** When it happened. */
  at: string;
  /** Id of the computer. */
  id: string;
  /** Name of the computer. */
  name: string;
  /** Id of the project. */
  project_id: string;
  /** Name of the project. */
  project: string | null;
  /** The status of the computer. */
  status: 'starting' | 'running' | 'stopping' | 'stopped' | 'deleting' | 'error';
} | {
  /** Kind of the event. */
  type: 'computer.status';
  /** When it happened. */
  at: string;
  /** Id of the computer. */
  id: string;
  /** Name of the computer. */
  name: string;
  /** Id of the project. */
  project_id: string;
  /** Name of the project. */
  project: string | null;
  /** The status of the computer. */
  status: 'starting' | 'running' | 'stopping' | 'stopped' | 'deleting' | 'error';
  /** The status before; the same if only the reason changed. */
  previous: 'starting' | 'running' | 'stopping' | 'stopped' | 'deleting' | 'error';
  /** Why, as in `status_reason`. */
  reason: string | null;
} | {
  /** Kind of the event. */
  type: 'computer.control';
  /** When it happened. */
  at: string;
  /** Id of the computer. */
  id: string;
  /** Name of the computer. */
  name: string;
  /** Id of the project. */
  project_id: string;
  /** Name of the project. */
  project: string | null;
  /**
   * `released` was given back; `expired` without a sign of its holder; `ended` with its
   * session or API key; `taken_over` by another.
   */
  change: 'taken' | 'released' | 'expired' | 'ended' | 'taken_over';
  /** Who has it. */
  holder: {
    /** Id of the API key. */
    key_id: string;
    /** Name of the API key. */
    key_name: string | null;
    /** A session of the web page has it, not every request of the key. */
    session: boolean;
  };
  /** When it was taken. */
  since: string;
} | {
  /** Kind of the event. */
  type: 'computer.deleted';
  /** When it happened. */
  at: string;
  /** Id of the computer. */
  id: string;
  /** Name of the computer. */
  name: string;
  /** Id of the project. */
  project_id: string;
  /** Name of the project. */
  project: string | null;
} | {
  /** Kind of the event. */
  type: 'project.created';
  /** When it happened. */
  at: string;
  /** Id of the project. */
  id: string;
  /** Name of the project. */
  name: string;
} | {
  /** Kind of the event. */
  type: 'project.renamed';
  /** When it happened. */
  at: string;
  /** Id of the project. */
  id: string;
  /** Name of the project. */
  name: string;
  /** The name before. */
  previous: string;
} | {
  /** Kind of the event. */
  type: 'project.deleted';
  /** When it happened. */
  at: string;
  /** Id of the project. */
  id: string;
  /** Name of the project. */
  name: string;
} | {
  /** Kind of the event. */
  type: 'job.exited';
  /** When it happened. */
  at: string;
  /** Id of the computer. */
  computer_id: string;
  /** Name of the computer. */
  computer: string;
  /** Id of the project. */
  project_id: string;
  /** Name of the project. */
  project: string;
  /** Id of the background command. */
  id: string;
  /** Null if the computer stopped before the command ended. */
  exit_code: number | null;
  /**
   * When the command ended, by the clock of the computer; null if the computer stopped first.
   * `at` is when the service noticed.
   */
  ended_at: string | null;
} | {
  /** Grows with time. */
  id: number;
  /** When the action began. */
  at: string;
  /** Name of the operation. */
  action: string;
  /** Coordinates, settings and lengths. Texts, commands, code and paths are never recorded. */
  detail: Record<string, string | number | boolean>;
  /** Id of the API key; `service` for what the service did by itself. */
  key_id: string;
  /** `ok`, the code of the error, or `cancelled` if the client disconnected or ended it. */
  outcome: string;
  /** Duration in milliseconds. */
  ms: number;
  /** Kind of the event. */
  type: 'action';
  /** Id of the computer. */
  computer_id: string | null;
  /** Name of the computer. */
  computer: string | null;
  /** Id of the project. */
  project_id: string | null;
  /** Name of the project. */
  project: string | null;
} | {
  /** Kind of the event. */
  type: 'reset';
  /** When it happened. */
  at: string;
  /** Why events are missing since the last one. Read the lists again. */
  reason: string;
};

/** A session of the web page. */
export interface Session {
  /** The owner of the key. */
  owner: {
    /** Id of the owner. */
    id: string;
    /** Name of the owner. */
    name: string;
    /** An `administrator` manages the owners of the service. */
    role: 'administrator' | 'member';
  };
  /** The API key that it was opened with, and ends with. */
  key: {
    /** Id of the key. */
    id: string;
    /** Name of the key. */
    name: string;
    /**
     * `look`: lists, states and screens. `act`: also uses computers and what is in them.
     * `manage`: also creates, changes and deletes.
     */
    rights: 'look' | 'act' | 'manage';
    /** The only project that the key is for; null for all. */
    project: {
      /** Id of the project. */
      id: string;
      /** Name of the project. */
      name: string;
    } | null;
    /** When the key ends; null for never. */
    expires_at: string | null;
  };
  /** Whether the service runs computers on a cluster whose members the session may list. */
  has_members: boolean;
  /** When it was opened. */
  created_at: string;
  /** When it ends at the latest. */
  expires_at: string;
}

/** A text for the clipboard. */
export interface SetClipboard {
  /** Any Unicode text without NUL. */
  text: string;
}

/** The value of a secret. */
export interface SetSecret {
  /**
   * Stored encrypted and never shown again. Without control characters, except newlines and
   * tabs.
   */
  value: string;
}

/**
 * Waits for the screen: for the first change or a short time, then until nothing has changed
 * for `quiet_ms`, at most `max_ms`. `true` uses the defaults.
 */
export type Settle = boolean | {
  /**
   * Milliseconds without a change after which the screen counts as stable. 0 to 5000.
   * @default 100
   */
  quiet_ms?: number | undefined;
  /**
   * Milliseconds to wait at most. 0 to 60000.
   * @default 2000
   */
  max_ms?: number | undefined;
};

/** Where to stream to, exactly one of `connection_name` and `url`, and how. */
export interface StartStream {
  /** A saved stream target; instead of `url`. */
  connection_name?: string | undefined;
  /** An `rtmp` or `rtmps` URL with the stream key; instead of `connection_name`. */
  url?: string | undefined;
  /**
   * Frames per second.
   * @default 30
   */
  fps?: 15 | 30 | 60 | undefined;
  /**
   * Bit rate of the video in kbit/s. 200 to 20000.
   * @default 3000
   */
  bitrate?: number | undefined;
}

/** How long to record actions. */
export interface StartTrajectory {
  /**
   * Seconds after which it ends by itself. 1 to 14400.
   * @default 3600
   */
  max_seconds?: number | undefined;
}

/** The stream runs. */
export interface StreamStarted {
  /** Always true; an error has another status. */
  success: true;
  /** The first frame has been sent. */
  status: 'streaming';
  /** Process id of the encoder on the host of the service. */
  pid: number;
  /** When the stream was started. */
  start_time: string;
}

/** The state of the stream of a computer. */
export interface StreamStatus {
  /** `terminated`: the last stream has failed; `idle`: there is none. */
  status: 'idle' | 'streaming' | 'terminated';
  /** When the stream was started. */
  start_time?: string | undefined;
  /** Process id of the encoder on the host of the service. */
  pid?: number | undefined;
  /** Why the stream ended, or why it reconnects. */
  message?: string | undefined;
}

/** The operation was carried out. */
export interface Success {
  /** Always true; an error has another status. */
  success: true;
}

/** How to take control. */
export interface TakeControl {
  /**
   * Takes it from another holder; needs the right `manage` or the same key.
   * @default false
   */
  force?: boolean | undefined;
}

/** The recorded actions of a computer. */
export interface Trajectory {
  /** Id of the trajectory. */
  id: string;
  /** Whether actions are still recorded. */
  status: 'recording' | 'ended';
  /** When the recording started. */
  started_at: string;
  /** Name of the API key that started it. */
  started_by: string | null;
  /** When the recording ended; null while it runs. */
  ended_at: string | null;
  /**
   * What ended it: a `request`, its `limit` of time, steps, size or free disk, the end of the
   * `key` that started it, the stop of the `computer`, the end of the `service`, or a
   * `failure` to write it. Null while it runs.
   */
  end_reason: 'request' | 'limit' | 'key' | 'computer' | 'service' | 'failure' | null;
  /** More about the end. */
  message?: string | undefined;
  /** Actions so far. */
  steps: number;
  /** Different pictures so far. */
  pictures: number;
  /** Size of the files so far. */
  bytes: number;
}

/** A recorded action. */
export interface TrajectoryStep {
  /** Number of the step. */
  step: number;
  /** Seconds since the start of the recording. */
  at: number;
  /** Seconds that it took. */
  took: number;
  /** The action as in a batch. */
  action: Record<string, unknown>;
  /** `ok`, `failed` or an error code. */
  outcome: string;
  /** The screen before; null if unknown. */
  before: string | null;
  /** The screen after; null if unknown. */
  after: string | null;
}

/** Some steps of a trajectory. */
export interface TrajectorySteps {
  /** Null if nothing was recorded. */
  trajectory: Trajectory | null;
  /** In the order in which they ended. */
  steps: TrajectoryStep[];
  /** The `offset` at which to continue. */
  next_offset: number;
}

/** A text message of a connection to a port. */
export type TunnelMessage = {
  /** Kind of the message. */
  type: 'open';
} | {
  /** Kind of the message. */
  type: 'end';
} | {
  /** Kind of the message. */
  type: 'error';
  /** The code of the error, as in the header `x-error-code`. */
  code: string;
  /** What went wrong and where, in one line. */
  error: string;
  /** What to do next. */
  remedy?: string | undefined;
};

/** A text to type. */
export interface Type {
  /**
   * Any Unicode text. A newline is Enter, a tab is Tab. `{{secret:NAME}}` is a secret of the
   * project, which `secrets` has to name.
   */
  text: string;
  /**
   * Milliseconds between two characters. Without it as fast as the computer takes them. 0 to
   * 1000.
   */
  delay_ms?: number | undefined;
  /**
   * Names of secrets of the project that may be typed: `{{secret:NAME}}` in a text stands for
   * the value. Without it none may be.
   */
  secrets?: string[] | undefined;
  /** Waits after the action until the screen is stable. */
  settle?: Settle | undefined;
}

/** The operation `type` as an action of a batch. */
export interface TypeStep extends Type {
  /** Name of the operation. */
  action: 'type';
}

/** Changes; omitted fields keep their values. */
export interface UpdateComputer {
  /** Free text without control characters, unique in its project. */
  name?: string | undefined;
  /** Minutes without a request after which the computer is stopped; null: never. */
  auto_stop_minutes?: number | null | undefined;
  /** A protected computer cannot be deleted. */
  protected?: boolean | undefined;
}

/** Changes; omitted fields keep their values. */
export interface UpdateKey {
  /** What the key is for. */
  name?: string | undefined;
  /**
   * `look`: lists, states and screens. `act`: also uses computers and what is in them.
   * `manage`: also creates, changes and deletes.
   */
  rights?: 'look' | 'act' | 'manage' | undefined;
  /** When the key ends; null for never. */
  expires_at?: string | null | undefined;
}

/** Changes; omitted fields keep their values. */
export interface UpdateOwner {
  /** Computers that may run at once; null: the service's limit. */
  max_running?: number | null | undefined;
}

/** Changes; omitted fields keep their values. */
export interface UpdateProject {
  /** Unique among the projects of the owner; `by-name` and the form of an id are reserved. */
  name?: string | undefined;
}

/** What an API key used in a project on a day. */
export interface UsageDay {
  /** The day, in UTC. */
  date: string;
  /** The API key: of computer time, the one that created the computer. */
  key: {
    /** Its id. */
    id: string;
    /** Its name, or its last one if it was deleted; null if that is not known. */
    name: string | null;
    /** Whether it was deleted. */
    deleted: boolean;
  };
  /** The project; null for what belongs to none. */
  project: {
    /** Its id. */
    id: string;
    /** Its name, or its last one if it was deleted; null if that is not known. */
    name: string | null;
    /** Whether it was deleted. */
    deleted: boolean;
  } | null;
  /** Computers that were created. */
  computers: number;
  /** Seconds in which computers ran, added up. */
  computer_seconds: number;
  /** Actions in the audit log. */
  actions: number;
  /** Bytes that were sent and received over HTTP and WebSockets. */
  bytes: number;
}

/** What was used, by day, API key and project. */
export interface UsageReport {
  /** Newest first, at most 10,000. */
  days: UsageDay[];
  /** Limits of the owner. */
  limits: {
    /** Computers that may run at once. */
    max_running: number;
  };
  /** The present. */
  now: {
    /** Computers that run. */
    running: number;
  };
}

/** A single-use link to the live view. */
export interface View {
  /**
   * The link; it opens once. The ticket is in the fragment. On loopback without TLS, it has a
   * host name of its own until the service stops.
   */
  url: string;
  /** Until when it can be opened. */
  expires_at: string;
}

/** What to wait for: one of `duration`, `seconds` and `until` is required. */
export interface Wait {
  /** Seconds to wait; the same as `seconds`. 0 to 60. */
  duration?: number | undefined;
  /** Seconds to wait. 0 to 60. */
  seconds?: number | undefined;
  /** Waits until the screen is stable, or until it changes. */
  until?: 'stable' | 'change' | undefined;
  /**
   * With `until`: the part of the screen that counts, as `[x, y, width, height]` in pixels.
   * Without it the whole screen.
   */
  region?: [number, number, number, number] | undefined;
  /**
   * With `until`: seconds to wait at most. 0.1 to 60.
   * @default 10
   */
  timeout?: number | undefined;
}

/** How long the operation waited. */
export interface WaitResult {
  /** Always true; an error has another status. */
  success: true;
  /** Seconds. */
  waited: number;
  /** With `until: "change"`: false if the screen did not change within `timeout`. */
  changed?: boolean | undefined;
}

/** The operation `wait` as an action of a batch. */
export interface WaitStep extends Wait {
  /** Name of the operation. */
  action: 'wait';
}

/** A computer, and the number of its picture. */
export interface WallComputer extends Computer {
  /** Grows when the picture of the screen changes: the time to get another thumbnail. */
  seq: number;
}

/** A message of the service about its computers. */
export type WallMessage = {
  /** Kind of the message. */
  type: 'list';
  /** Oldest first. */
  computers: WallComputer[];
} | {
  /** Kind of the message. */
  type: 'computer';
  computer: WallComputer;
} | {
  /** Kind of the message. */
  type: 'change';
  /** Id of the computer. */
  id: string;
  /** Its status. */
  status: 'starting' | 'running' | 'stopping' | 'stopped' | 'deleting' | 'error';
  /** Grows when the picture of the screen changes: the time to get another thumbnail. */
  seq: number;
} | {
  /** Kind of the message. */
  type: 'removed';
  /** Id of the computer. */
  id: string;
};

/** Query of `listAllComputers`. */
export interface ListAllComputersQuery {
  /** Only computers with one of these statuses, with commas between. */
  status?: string | undefined;
  /**
   * Computers of one page at most. 1 to 1000.
   * @default 100
   */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** Query of `createComputerIn`. */
export interface CreateComputerInQuery {
  /**
   * False: answers at once, with `status: "starting"`. True: when the computer can be used, or
   * after 60 s.
   * @default true
   */
  wait?: boolean | '0' | '1' | undefined;
}

/** Query of `createComputer`. */
export interface CreateComputerQuery {
  /**
   * False: answers at once, with `status: "starting"`. True: when the computer can be used, or
   * after 60 s.
   * @default true
   */
  wait?: boolean | '0' | '1' | undefined;
}

/** Query of `startComputer`. */
export interface StartComputerQuery {
  /**
   * False: answers at once, with `status: "starting"`. True: when the computer can be used, or
   * after 60 s.
   * @default true
   */
  wait?: boolean | '0' | '1' | undefined;
}

/** Query of `restartComputer`. */
export interface RestartComputerQuery {
  /**
   * False: answers at once, with `status: "starting"`. True: when the computer can be used, or
   * after 60 s.
   * @default true
   */
  wait?: boolean | '0' | '1' | undefined;
}

/** Query of `forkComputer`. */
export interface ForkComputerQuery {
  /**
   * False: answers at once, with `status: "starting"`. True: when the computer can be used, or
   * after 60 s.
   * @default true
   */
  wait?: boolean | '0' | '1' | undefined;
}

/** Query of `screenshot`. */
export interface ScreenshotQuery {
  /** Format of the image. Without it that of the header `Accept`, or else `png`. */
  format?: 'png' | 'jpeg' | 'webp' | undefined;
  /**
   * Quality of `jpeg` and `webp`; `png` is lossless. 1 to 100.
   * @default 80
   */
  quality?: number | undefined;
  /**
   * Factor on width and height. 0.05 to 1.
   * @default 1
   */
  scale?: number | undefined;
  /** A part of the screen, as `x,y,width,height` in pixels. Without it the whole. */
  region?: string | undefined;
  /**
   * Draws the mouse pointer.
   * @default false
   */
  cursor?: boolean | '0' | '1' | undefined;
  /**
   * Waits until the screen is stable first: `1` for 100 ms without a change and 2 s at most,
   * or `QUIET_MS,MAX_MS`, up to `5000,60000`.
   */
  settle?: string | undefined;
}

/** Query of `thumbnail`. */
export interface ThumbnailQuery {
  /**
   * Pixels; the height follows. A narrower screen keeps its width. 64 to 640.
   * @default 320
   */
  width?: number | undefined;
  /** Has no effect: it makes the address of a new picture a new one. */
  seq?: number | undefined;
}

/** Query of `getElements`. */
export interface GetElementsQuery {
  /**
   * Most elements in the answer. 1 to 1000.
   * @default 250
   */
  limit?: number | undefined;
}

/** Query of `getComputerUse`. */
export interface GetComputerUseQuery {
  /** Whose declaration. */
  dialect: 'anthropic' | 'anthropic-20251124' | 'anthropic-20250124' | 'anthropic-20241022' | 'openai' | 'openai-preview' | 'gemini' | 'gemini-generate-content' | 'qwen' | 'ui-tars';
}

/** Query of `listTrajectorySteps`. */
export interface ListTrajectoryStepsQuery {
  /**
   * Where to begin: the `next_offset` of the page before. 0 to 1000000000.
   * @default 0
   */
  offset?: number | undefined;
  /**
   * Most steps; a page with long ones has fewer. 1 to 500.
   * @default 100
   */
  limit?: number | undefined;
}

/** Query of `listActions`. */
export interface ListActionsQuery {
  /**
   * Number of entries. 1 to 1000.
   * @default 100
   */
  limit?: number | undefined;
  /** Only entries before this `id`: that of the last entry of the page before. */
  before?: number | undefined;
}

/** Query of `getUsage`. */
export interface GetUsageQuery {
  /**
   * Days with an entry to show, the newest ones. 1 to 90.
   * @default 30
   */
  days?: number | undefined;
}

/** Query of `getEntry`. */
export interface GetEntryQuery {
  /**
   * Path in the computer: relative to the home directory unless it begins with `/`; `~/` is
   * the home directory. No other character is special.
   */
  path: string;
}

/** Query of `removeEntry`. */
export interface RemoveEntryQuery {
  /**
   * Path in the computer: relative to the home directory unless it begins with `/`; `~/` is
   * the home directory. No other character is special.
   */
  path: string;
  /**
   * Also removes a directory that is not empty.
   * @default false
   */
  recursive?: boolean | '0' | '1' | undefined;
}

/** Query of `listDirectory`. */
export interface ListDirectoryQuery {
  /**
   * Path in the computer: relative to the home directory unless it begins with `/`; `~/` is
   * the home directory. No other character is special.
   */
  path: string;
}

/** Query of `getJob`. */
export interface GetJobQuery {
  /**
   * Byte of the output to begin at. 0 to 1000000000.
   * @default 0
   */
  offset?: number | undefined;
  /**
   * Bytes of output to answer at most. Characters are never split. 16 to 1048576.
   * @default 65536
   */
  limit?: number | undefined;
}

/** Query of `record`. */
export interface RecordQuery {
  /** Seconds to record. Without it until the client disconnects. 0.5 to 86400. */
  duration?: number | undefined;
  /**
   * Frames per second.
   * @default 30
   */
  fps?: 15 | 30 | 60 | undefined;
  /**
   * Bit rate of the video in kbit/s. 200 to 20000.
   * @default 3000
   */
  bitrate?: number | undefined;
}

/** Query of `streamEvents`. */
export interface StreamEventsQuery {
  /** Only events of the project with this name or id, and its computers. */
  project?: string | undefined;
  /** Only events of the computers with this name or id. */
  computer?: string | undefined;
  /** Only events of these types, with commas between. */
  types?: string | undefined;
}

/** Query of `listAudit`. */
export interface ListAuditQuery {
  /**
   * Number of entries. 1 to 1000.
   * @default 100
   */
  limit?: number | undefined;
  /** Only entries before this `id`: that of the last entry of the page before. */
  before?: number | undefined;
  /** Only entries of the computer with this id, which may have been deleted. */
  computer?: string | undefined;
}

/** Query of `deleteOwner`. */
export interface DeleteOwnerQuery {
  /**
   * Also deletes the projects and computers, including protected ones.
   * @default false
   */
  force?: boolean | '0' | '1' | undefined;
}

/** Query of `listOwnerAudit`. */
export interface ListOwnerAuditQuery {
  /**
   * Number of entries. 1 to 1000.
   * @default 100
   */
  limit?: number | undefined;
  /** Only entries before this `id`: that of the last entry of the page before. */
  before?: number | undefined;
  /** Only entries of the computer with this id, which may have been deleted. */
  computer?: string | undefined;
}

/** What an operation takes and answers. */
export interface OperationType<Answer, Body = undefined, Query = undefined> {
  query: Query;
  body: Body;
  answer: Answer;
}

/** What each operation takes and answers. */
export interface OperationTypes {
  /** Get the health of the service and its engines. */
  health: OperationType<Health>;
  /** Create a project. */
  createProject: OperationType<Project, CreateProject>;
  /** List projects. */
  listProjects: OperationType<ProjectList>;
  /** Get a project with its computers. */
  getProject: OperationType<ProjectWithComputers>;
  /** Rename a project. */
  updateProject: OperationType<Project, UpdateProject>;
  /** Delete a project and its computers. */
  deleteProject: OperationType<Success>;
  /** Delete a project and its computers. */
  deleteProjectByPost: OperationType<Success>;
  /** Start every computer of a project. */
  startProject: OperationType<ProjectAction>;
  /** Stop every computer of a project. */
  stopProject: OperationType<ProjectAction>;
  /** Restart every computer of a project. */
  restartProject: OperationType<ProjectAction>;
  /** List the computers of all projects, page by page. */
  listAllComputers: OperationType<ComputerPage, undefined, ListAllComputersQuery>;
  /** Create a computer in the given project and start it. */
  createComputerIn: OperationType<Computer, CreateComputerIn, CreateComputerInQuery>;
  /** Create a computer and start it. */
  createComputer: OperationType<Computer, CreateComputer, CreateComputerQuery>;
  /** List the computers of a project. */
  listComputers: OperationType<ComputerList>;
  /** Get a computer. */
  getComputer: OperationType<Computer>;
  /** Stop a computer and remove it with its data. */
  deleteComputer: OperationType<Success>;
  /** Rename a computer, protect it, or change when it is stopped. */
  updateComputer: OperationType<Computer, UpdateComputer>;
  /** Start a computer. */
  startComputer: OperationType<Computer, undefined, StartComputerQuery>;
  /** Stop a computer; its disk stays. */
  stopComputer: OperationType<Computer>;
  /** Stop and start a computer. */
  restartComputer: OperationType<Computer, undefined, RestartComputerQuery>;
  /** Copy a computer with its disk and, where its engine can, its memory. */
  forkComputer: OperationType<Computer, ForkComputer, ForkComputerQuery>;
  /** Measure what a running computer uses. */
  getStats: OperationType<ComputerStats>;
  /** Take a screenshot. */
  screenshot: OperationType<Screenshot, undefined, ScreenshotQuery>;
  /** Get a small JPEG of the screen. */
  thumbnail: OperationType<unknown, undefined, ThumbnailQuery>;
  /** List the elements on the screen: buttons, fields, links, texts. */
  getElements: OperationType<Elements, undefined, GetElementsQuery>;
  /** Find elements on the screen by text, role or name. */
  findElements: OperationType<Elements, FindElements>;
  /** Click with the mouse. */
  click: OperationType<ActionResult, Click>;
  /** Move the mouse. */
  move: OperationType<ActionResult, Move>;
  /** Press, move and release the mouse. */
  drag: OperationType<ActionResult, Drag>;
  /** Turn the mouse wheel. */
  scroll: OperationType<ActionResult, Scroll>;
  /** Type a text. */
  type: OperationType<ActionResult, Type>;
  /** Press a key or a combination of keys. */
  key: OperationType<ActionResult, PressKey>;
  /** Press a mouse button and hold it. */
  mouseDown: OperationType<ActionResult, MouseDown>;
  /** Release a mouse button. */
  mouseUp: OperationType<ActionResult, MouseUp>;
  /** Press a key or a combination of keys and hold it. */
  keyDown: OperationType<ActionResult, KeyDown>;
  /** Release a key or a combination of keys. */
  keyUp: OperationType<ActionResult, KeyUp>;
  /** Get the position of the mouse pointer. */
  getCursor: OperationType<CursorPosition>;
  /** Get the text of the clipboard. */
  getClipboard: OperationType<Clipboard>;
  /** Set the text of the clipboard. */
  setClipboard: OperationType<Success, SetClipboard>;
  /** Run a command. */
  bash: OperationType<BashResult, Bash>;
  /** Run Python code. */
  exec: OperationType<ExecResult, Exec>;
  /** Wait for a time, or until the screen is stable or changes. */
  wait: OperationType<WaitResult, Wait>;
  /** Run several actions one after the other, until the first failure. */
  batch: OperationType<BatchResult, Batch>;
  /** Get the declaration of the computer as a vendor's tool. */
  getComputerUse: OperationType<ComputerUseTools, undefined, GetComputerUseQuery>;
  /** Carry out the calls of a model and answer them in its shape. */
  computerUse: OperationType<ComputerUseResult, ComputerUse>;
  /** Make a single-use link to the live view. */
  view: OperationType<View, CreateView>;
  /** Open the browser for a program: Playwright, Puppeteer, Stagehand. */
  openBrowser: OperationType<Browser, OpenBrowser>;
  /** Get who has control of a computer. */
  getControl: OperationType<ControlState>;
  /** Take control of a computer, or renew it: input of all others is refused. */
  takeControl: OperationType<ControlState, TakeControl>;
  /** Give control of a computer back. */
  releaseControl: OperationType<Success>;
  /** Start to record the actions of a computer. */
  startTrajectory: OperationType<Trajectory, StartTrajectory>;
  /** Get the recorded actions of a computer. */
  getTrajectory: OperationType<Trajectory>;
  /** Remove the recorded actions of a computer. */
  deleteTrajectory: OperationType<Success>;
  /** List the steps of a trajectory. */
  listTrajectorySteps: OperationType<TrajectorySteps, undefined, ListTrajectoryStepsQuery>;
  /** Get a picture of a trajectory. */
  getTrajectoryPicture: OperationType<unknown>;
  /** End the recording of actions. */
  endTrajectory: OperationType<Trajectory>;
  /** List the audit log of a computer, newest first; it contains no texts. */
  listActions: OperationType<ActionList, undefined, ListActionsQuery>;
  /** Get the owner of the API key and their limit of running computers. */
  getMe: OperationType<Me>;
  /** Get what was used, by day, API key and project. */
  getUsage: OperationType<UsageReport, undefined, GetUsageQuery>;
  /** Get the status of a file or directory. */
  getEntry: OperationType<FileStatus, undefined, GetEntryQuery>;
  /** Remove a file, link or directory. */
  removeEntry: OperationType<Success, undefined, RemoveEntryQuery>;
  /** Rename or move a file, link or directory. */
  renameEntry: OperationType<EntryRenamed, RenameEntry>;
  /** List a directory. */
  listDirectory: OperationType<Directory, undefined, ListDirectoryQuery>;
  /** Make a directory. */
  makeDirectory: OperationType<DirectoryMade, MakeDirectory>;
  /** Make a symbolic link. */
  makeLink: OperationType<LinkMade, MakeLink>;
  /** List the commands that were started in the background. */
  listJobs: OperationType<JobList>;
  /** Get a background command with a part of its output. */
  getJob: OperationType<JobWithOutput, undefined, GetJobQuery>;
  /** End a background command's process group. */
  endJob: OperationType<Job>;
  /** Stream the screen to an RTMP target. */
  startStream: OperationType<StreamStarted, StartStream>;
  /** Get the status of the stream. */
  streamStatus: OperationType<StreamStatus>;
  /** Stop streaming the screen. */
  stopStream: OperationType<Success>;
  /** Record the screen as a streamed MP4 file. */
  record: OperationType<unknown, undefined, RecordQuery>;
  /** List the targets of streams. */
  listConnections: OperationType<ConnectionList>;
  /** Save an RTMP target; its stream key is never shown again. */
  createConnection: OperationType<Connection, CreateConnection>;
  /** Delete an RTMP target. */
  deleteConnection: OperationType<Success>;
  /** List the secrets of a project, without their values. */
  listSecrets: OperationType<SecretList>;
  /** Set a secret of a project; its value is never shown again. */
  setSecret: OperationType<Secret, SetSecret>;
  /** Delete a secret of a project. */
  deleteSecret: OperationType<Success>;
  /** List the machine images of every engine. */
  listImages: OperationType<ImageList>;
  /** Stream events of projects and computers, as server-sent events. */
  streamEvents: OperationType<unknown, undefined, StreamEventsQuery>;
  /** The owner's audit log, newest first, deleted computers included. */
  listAudit: OperationType<AuditLog, undefined, ListAuditQuery>;
  /** List API keys. */
  listKeys: OperationType<KeyList>;
  /** Create an API key; it is shown once. */
  createKey: OperationType<CreatedKey, CreateKey>;
  /** Rename an API key, or change its rights or expiry. */
  updateKey: OperationType<Key, UpdateKey>;
  /** Delete an API key. */
  deleteKey: OperationType<RemovedKey>;
  /** Make a single-use link to the web page, which logs in with this API key. */
  createLogin: OperationType<Login>;
  /** Open a session of the web page with a link or an API key. */
  createSession: OperationType<Session, CreateSession>;
  /** Get the session of this request. */
  getSession: OperationType<Session>;
  /** End the session of this request. */
  endSession: OperationType<Success>;
  /** List the members of the cluster; for administrators. */
  listMembers: OperationType<ClusterMemberList>;
  /** Get a member of the cluster; for administrators. */
  getMember: OperationType<ClusterMember>;
  /** Move the computers of a member to others, and give it no new ones; for administrators. */
  drainMember: OperationType<ClusterMember>;
  /** Let a drained member have computers again; for administrators. */
  returnMember: OperationType<ClusterMember>;
  /** List owners; for administrators, like all of /owners. */
  listOwners: OperationType<OwnerList>;
  /** Create an owner with a first API key, which is shown once. */
  createOwner: OperationType<CreatedOwner, CreateOwner>;
  /** Get an owner. */
  getOwner: OperationType<Owner>;
  /** Change an owner's limit of running computers. */
  updateOwner: OperationType<Owner, UpdateOwner>;
  /** Delete an owner with its keys; with force=1 also its projects and computers. */
  deleteOwner: OperationType<Success, undefined, DeleteOwnerQuery>;
  /** Create an API key of an owner, for example for a lost one; it is shown once. */
  createOwnerKey: OperationType<CreatedKey, CreateOwnerKey>;
  /** An owner's audit log, newest first; a deleted owner is named by its id. */
  listOwnerAudit: OperationType<AuditLog, undefined, ListOwnerAuditQuery>;
}
