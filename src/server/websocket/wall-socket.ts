import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { THUMBNAIL_WIDTH } from '../../contract/constants.js';
import { endpoints } from '../../contract/operations.js';
import { type WallComputer, type WallMessage, WallQuery } from '../../contract/sockets/wall.js';
import type { WallPicture, WallRound, WallView, WallViewer } from '../../fleet/wall/walls.js';
import { baseUrl } from '../http/absolute-urls.js';
import { validateExactly } from '../http/input/read-input.js';
import { logOf } from '../http/log.js';
import { ownerOf } from '../requests.js';
import { departureOf, MOST_UNSENT, SocketLimit, type SocketServices } from './computer-socket.js';
import { startHeartbeat } from './heartbeat.js';
import { closeOnRevocation } from './key-revocation.js';

/** A client that has left so much unread gets a new list when it has read it, in bytes. */
const MOST_UNREAD = 256 * 1024;
/** Time for a screen to give the first picture, in milliseconds. */
const PICTURE_MS = 1_000;
/** Walls of one owner. */
const MOST_WALLS = 16;

/** `GET /wall`: the computers and their changes, as contract/sockets/wall.ts describes. */
export function addWallSocket(app: FastifyInstance, { fleet, limit }: SocketServices): void {
  const config = { socket: true, access: endpoints.wall.access } as const;
  const walls = new SocketLimit(MOST_WALLS, ' to /wall');
  const preValidation = async (request: FastifyRequest) => {
    if (!request.ws) return;
    validateExactly(WallQuery, request.query, 'query');
    const { id } = ownerOf(request);
    walls.count(id, request.raw.socket);
    limit.count(id, request.raw.socket);
  };
  const [path] = endpoints.wall.paths;
  app.get(path, { websocket: true, config, preValidation }, (socket, request) => {
    const owner = ownerOf(request);
    startHeartbeat(socket, 'any-pong');
    closeOnRevocation(socket, request, fleet.apiKeys, owner);
    // The client sends nothing.
    socket.on('message', () => socket.terminate());
    const { pictures } = validateExactly(WallQuery, request.query, 'query');
    const thumbnail = async (id: string) => {
      const record = fleet.computers.find(owner, { id });
      const signal = AbortSignal.any([departureOf(socket), AbortSignal.timeout(PICTURE_MS)]);
      return (await fleet.actions.thumbnail(record, THUMBNAIL_WIDTH, signal)).data;
    };
    const wall = new Wall(socket, baseUrl(request), {
      onFailure: (error) => logOf(request).warn({ err: error }, 'wall socket failed'),
      onListed: (computers) => {
        const running = computers.filter(({ status }) => status === 'running').slice(0, pictures);
        for (const [index, { id }] of running.entries())
          void sendPicture(socket, index, thumbnail(id));
      },
    });
    if (socket.readyState !== socket.OPEN) return;
    const view = fleet.walls.open(owner, wall);
    socket.once('close', view.close);
    wall.show(view);
  });
}

/** Sends its place among the pictures, in one byte, and the picture if the screen has answered. */
async function sendPicture(
  socket: WebSocket,
  index: number,
  picture: Promise<Buffer>,
): Promise<void> {
  const jpeg = await picture.catch(() => Buffer.alloc(0));
  if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.of(index), jpeg]));
}

interface WallHooks {
  onFailure(error: unknown): void;
  /** After the first list. */
  onListed(computers: readonly WallComputer[]): void;
}

/** Sends one client what changes, and a new list after it was slow. */
class Wall implements WallViewer {
  readonly #socket: WebSocket;
  readonly #base: string;
  readonly #hooks: WallHooks;
  #view: WallView | undefined;
  /** The client needs a list. */
  #isStale = true;
  #isListed = false;
  /** Messages that the client has not read. */
  #unsent = 0;

  constructor(socket: WebSocket, base: string, hooks: WallHooks) {
    this.#socket = socket;
    this.#base = base;
    this.#hooks = hooks;
  }

  show(view: WallView): void {
    this.#view = view;
  }

  round(round: WallRound): void {
    if (this.#isStale) {
      if (this.#isSlow()) return;
      this.#isStale = false;
      this.#send(listOf(round, this.#base));
      if (!this.#isListed) this.#hooks.onListed(round.computers);
      this.#isListed = true;
      return;
    }
    for (const message of changesOf(round, this.#base)) {
      if (!this.#sendChange(message)) return;
    }
  }

  picture(picture: WallPicture): void {
    if (!this.#isStale) this.#sendChange(encode({ type: 'change', ...picture }));
  }

  failed(error: unknown): void {
    this.#hooks.onFailure(error);
    this.#socket.terminate();
  }

  /** False for a client that does not read; it gets a new list later. */
  #sendChange(message: Buffer): boolean {
    this.#isStale ||= this.#isSlow();
    if (!this.#isStale) this.#send(message);
    return !this.#isStale;
  }

  #isSlow(): boolean {
    const { bufferedAmount } = this.#socket;
    if (bufferedAmount > MOST_UNREAD) return true;
    return bufferedAmount > 0 && this.#unsent >= MOST_UNSENT;
  }

  #send(message: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#unsent += 1;
    this.#socket.send(message, { binary: false }, () => {
      this.#unsent -= 1;
      if (this.#isStale && !this.#isSlow()) this.#view?.refresh();
    });
  }
}

/** Messages of a round by the base address: sockets that do not read hold the same bytes. */
type Messages = Map<string, { list?: Buffer; changes?: readonly Buffer[] }>;
const made = new WeakMap<WallRound, Messages>();

function messagesOf(round: WallRound, base: string) {
  const ofRound: Messages = made.get(round) ?? new Map();
  made.set(round, ofRound);
  const messages = ofRound.get(base) ?? {};
  ofRound.set(base, messages);
  return messages;
}

function listOf(round: WallRound, base: string): Buffer {
  const messages = messagesOf(round, base);
  messages.list ??= encode({
    type: 'list',
    computers: round.computers.map((computer) => absolute(computer, base)),
  });
  return messages.list;
}

function changesOf(round: WallRound, base: string): readonly Buffer[] {
  const messages = messagesOf(round, base);
  messages.changes ??= [
    ...round.changed.map((computer) =>
      encode({ type: 'computer', computer: absolute(computer, base) }),
    ),
    ...round.removed.map((id) => encode({ type: 'removed', id })),
  ];
  return messages.changes;
}

function absolute(computer: WallComputer, base: string): WallComputer {
  return { ...computer, url: `${base}${computer.url}` };
}

function encode(message: WallMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}
