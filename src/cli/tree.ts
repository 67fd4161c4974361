import type { CommandDefinition } from './define.js';

type Load = () => Promise<{ readonly command: CommandDefinition }>;

type Heading = 'Computers' | 'Access' | 'Hosting' | 'More';

/** A noun with its verbs: `vc computer click`. A verb's file is loaded when it is needed. */
export interface Group {
  readonly name: string;
  /** What it stands below in `vc --help`. */
  readonly heading: Heading;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly verbs: Readonly<Record<string, Load>>;
}

/** A command that stands by itself: `vc serve`. */
export interface Single {
  readonly name: string;
  /** Absent: it is hidden. */
  readonly heading?: Heading;
  readonly load: Load;
}

export type Node = Group | Single;

/**
 * The whole command line. Help, parsing, completion and the manual follow from it.
 */
export const tree: readonly Node[] = [
  {
    name: 'project',
    heading: 'Computers',
    aliases: ['projects'],
    summary: 'Make and manage projects, which hold computers',
    verbs: {
      create: () => import('./commands/project/create.js'),
      ls: () => import('./commands/project/ls.js'),
      get: () => import('./commands/project/get.js'),
      start: () => import('./commands/project/start.js'),
      stop: () => import('./commands/project/stop.js'),
      restart: () => import('./commands/project/restart.js'),
      rm: () => import('./commands/project/rm.js'),
    },
  },
  {
    name: 'computer',
    heading: 'Computers',
    aliases: ['computers'],
    summary: 'Make, drive and manage computers',
    verbs: {
      create: () => import('./commands/computer/create.js'),
      ls: () => import('./commands/computer/ls.js'),
      get: () => import('./commands/computer/get.js'),
      start: () => import('./commands/computer/start.js'),
      stop: () => import('./commands/computer/stop.js'),
      restart: () => import('./commands/computer/restart.js'),
      rm: () => import('./commands/computer/rm.js'),
      history: () => import('./commands/computer/history.js'),
      update: () => import('./commands/computer/update.js'),
      fork: () => import('./commands/computer/fork.js'),
      screenshot: () => import('./commands/computer/screenshot.js'),
      click: () => import('./commands/computer/click.js'),
      move: () => import('./commands/computer/move.js'),
      drag: () => import('./commands/computer/drag.js'),
      scroll: () => import('./commands/computer/scroll.js'),
      type: () => import('./commands/computer/type.js'),
      key: () => import('./commands/computer/key.js'),
      wait: () => import('./commands/computer/wait.js'),
      run: () => import('./commands/computer/run.js'),
      view: () => import('./commands/computer/view.js'),
      exec: () => import('./commands/computer/exec.js'),
      bash: () => import('./commands/computer/bash.js'),
      python: () => import('./commands/computer/python.js'),
      shell: () => import('./commands/computer/shell.js'),
      cp: () => import('./commands/computer/cp.js'),
      forward: () => import('./commands/computer/forward.js'),
      stream: () => import('./commands/computer/stream.js'),
      record: () => import('./commands/computer/record.js'),
    },
  },
  {
    name: 'job',
    heading: 'Computers',
    aliases: ['jobs'],
    summary: 'Look after commands that run in the background',
    verbs: {
      ls: () => import('./commands/job/ls.js'),
      get: () => import('./commands/job/get.js'),
      logs: () => import('./commands/job/logs.js'),
      end: () => import('./commands/job/end.js'),
    },
  },
  {
    name: 'connection',
    heading: 'Computers',
    aliases: ['connections'],
    summary: 'Keep the RTMP targets that streams go to',
    verbs: {
      add: () => import('./commands/connection/add.js'),
      ls: () => import('./commands/connection/ls.js'),
      rm: () => import('./commands/connection/rm.js'),
    },
  },
  { name: 'login', heading: 'Access', load: () => import('./commands/login.js') },
  { name: 'whoami', heading: 'Access', load: () => import('./commands/whoami.js') },
  {
    name: 'profile',
    heading: 'Access',
    aliases: ['profiles'],
    summary: 'Say which service to talk to, and with which key',
    verbs: {
      add: () => import('./commands/profile/add.js'),
      use: () => import('./commands/profile/use.js'),
      ls: () => import('./commands/profile/ls.js'),
      get: () => import('./commands/profile/get.js'),
      rm: () => import('./commands/profile/rm.js'),
    },
  },
  {
    name: 'key',
    heading: 'Access',
    aliases: ['keys'],
    summary: 'Make and remove API keys',
    verbs: {
      create: () => import('./commands/key/create.js'),
      ls: () => import('./commands/key/ls.js'),
      rm: () => import('./commands/key/rm.js'),
    },
  },
  { name: 'setup', heading: 'Hosting', load: () => import('./commands/setup.js') },
  { name: 'doctor', heading: 'Hosting', load: () => import('./commands/doctor.js') },
  { name: 'serve', heading: 'Hosting', load: () => import('./commands/serve.js') },
  {
    name: 'image',
    heading: 'Hosting',
    aliases: ['images'],
    summary: 'Make and manage machine images on this machine',
    verbs: {
      build: () => import('./commands/image/build.js'),
      import: () => import('./commands/image/import.js'),
      warm: () => import('./commands/image/warm.js'),
      ls: () => import('./commands/image/ls.js'),
      rm: () => import('./commands/image/rm.js'),
    },
  },
  { name: 'backup', heading: 'Hosting', load: () => import('./commands/backup.js') },
  { name: 'restore', heading: 'Hosting', load: () => import('./commands/restore.js') },
  { name: 'demo', heading: 'More', load: () => import('./commands/demo.js') },
  { name: 'completion', heading: 'More', load: () => import('./commands/completion.js') },
  { name: 'help', heading: 'More', load: () => import('./commands/help.js') },
  { name: '__generate', load: () => import('./commands/generate.js') },
  { name: '__help-texts', load: () => import('./commands/help-texts.js') },
  { name: '__complete', load: () => import('./commands/complete.js') },
];

export function isGroup(node: Node): node is Group {
  return 'verbs' in node;
}

/** True when the word is the node's name or another name of it. */
export function isNamed(node: Node, word: string | undefined): boolean {
  return node.name === word || (isGroup(node) && (node.aliases ?? []).includes(word ?? ''));
}
