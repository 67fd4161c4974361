import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { access } from '../../contract/access/rights.js';
import { WALL_PATH, type WallComputer, type WallMessage } from '../../contract/sockets/wall.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { Fleet } from '../../fleet/fleet.js';
import { baseUrl } from '../http/absolute-urls.js';
import { ownerOf } from '../requests.js';
import { type SocketServices, sendJson } from './computer-socket.js';
import { startHeartbeat } from './heartbeat.js';
import { closeOnRevocation } from './key-revocation.js';
import { limitMessages } from './limit-messages.js';

/** The list is compared at most so often, in milliseconds. */
const EVERY_MS = 250;
/** A client that has left so much unread gets a new list when it has read it, in bytes. */
const MOST_UNREAD = 256 * 1024;
/** The client sends nothing. */
const LIMITS = { first: 1024, later: 1024 };

/** `GET /wall`: the computers and their changes, as contract/sockets/wall.ts describes. */
export function addWallSocket(app: FastifyInstance, { fleet, budget }: SocketServices): void {
  const config = { socket: true, access: access.wall } as const;
  const preValidation = async (request: FastifyRequest) => {
    if (!request.ws) return;
    const share = budget.open(ownerOf(request).id);
    request.socketShare = share;
    request.raw.socket.once('close', share.close);
  };
  app.get(WALL_PATH, { websocket: true, config, preValidation }, (socket, request) => {
    const owner = ownerOf(request);
    startHeartbeat(socket);
    closeOnRevocation(socket, request, fleet.apiKeys, owner);
    const share = request.socketShare ?? budget.open(owner.id);
    const refuse = () => socket.terminate();
    limitMessages(socket, request.raw.socket, share, LIMITS, refuse);
    const wall = new Wall(fleet, owner, socket, baseUrl(request));
    socket.once('close', () => wall.close());
    wall.begin();
  });
}

/** Tells one client what has changed since the last message. */
class Wall {
  readonly #fleet: Fleet;
  readonly #owner: Owner;
  readonly #socket: WebSocket;
  readonly #base: string;
  /** What the client knows, as JSON without `seq`, by id. */
  #known = new Map<string, string>();
  #isStale = true;
  #timer: NodeJS.Timeout | undefined;
  readonly #dispose: (() => void)[] = [];

  constructor(fleet: Fleet, owner: Owner, socket: WebSocket, base: string) {
    this.#fleet = fleet;
    this.#owner = owner;
    this.#socket = socket;
    this.#base = base;
  }

  begin(): void {
    const { computers, pictures, events } = this.#fleet;
    this.#compare();
    const list = () => computers.records(this.#owner);
    this.#dispose.push(
      events.onAdded(() => this.#later()),
      this.#fleet.control.onChange(() => this.#later()),
      pictures.watch(list, (id) => this.#picture(id)),
    );
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const dispose of this.#dispose) dispose();
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#compare();
    }, EVERY_MS);
  }

  #compare(): void {
    if (this.#isSlow()) return;
    const { computers } = this.#fleet;
    const present = computers.records(this.#owner).map((record) => this.#view(record.id));
    const all = present.filter((computer) => computer !== undefined);
    const before = this.#known;
    this.#known = new Map(all.map((computer) => [computer.id, textOf(computer)]));
    if (this.#isStale) {
      this.#isStale = false;
      this.#send({ type: 'list', computers: all });
      return;
    }
    for (const computer of all) {
      if (before.get(computer.id) !== this.#known.get(computer.id))
        this.#send({ type: 'computer', computer });
    }
    for (const id of before.keys()) if (!this.#known.has(id)) this.#send({ type: 'removed', id });
  }

  #picture(id: string): void {
    if (!this.#known.has(id) || this.#isSlow()) return;
    const computer = this.#view(id);
    if (computer === undefined) return;
    this.#send({ type: 'change', id, status: computer.status, seq: computer.seq });
  }

  /** True for a client that does not read; it gets a new list later. */
  #isSlow(): boolean {
    if (this.#socket.bufferedAmount <= MOST_UNREAD) return false;
    this.#isStale = true;
    this.#later();
    return true;
  }

  #view(id: string): WallComputer | undefined {
    const { computers, pictures } = this.#fleet;
    const computer = computers.present(id);
    if (computer === undefined) return undefined;
    return { ...computer, url: `${this.#base}${computer.url}`, seq: pictures.seqOf(id) };
  }

  #send(message: WallMessage): void {
    sendJson(this.#socket, message);
  }
}

function textOf({ seq: _, ...computer }: WallComputer): string {
  return JSON.stringify(computer);
}
