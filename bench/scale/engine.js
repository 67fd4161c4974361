import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StillScreen } from './screen.js';

/** Members of the cluster, and how long it takes to answer, in milliseconds. */
const MEMBERS = 50;
const TAKES = { list: 150, create: 100, start: 300, dial: 20, query: 5 };

/** The file in the state directory with the ids of the machines at the start, and their status. */
export const IDS_FILE = 'scale-ids.json';

/** Name of the member that the machine with this number is on. */
export function memberName(number) {
  return `m${String(number % MEMBERS).padStart(2, '0')}`;
}

/** Machines of a cluster, in memory. It answers after the times that a real one takes. */
export class ScaleEngine {
  name = 'cluster';
  capabilities = { os: ['linux'], gpus: [], isolation: 'container' };
  #machines = new Map();
  #placed = 0;
  #events = [];
  #wake = () => {};

  constructor(stateDirectory) {
    const { status, ids } = JSON.parse(readFileSync(join(stateDirectory, IDS_FILE), 'utf8'));
    for (const id of ids) {
      this.#machines.set(id, { status, member: this.#place() });
    }
  }

  async probe() {
    return { usable: true, version: '0', detail: `${MEMBERS} members in memory` };
  }

  async describe() {
    return { isolation: 'container', pixels: 'hextile', canFork: false, programs: 'x11' };
  }

  async images() {
    await sleep(TAKES.query);
    return [{ name: 'linux', os: 'linux', bytes: 1e9, createdAt: new Date(0) }];
  }

  async recipeHash() {
    return undefined;
  }

  async create({ id }) {
    await sleep(TAKES.create);
    if (!this.#machines.has(id)) {
      this.#machines.set(id, { status: 'stopped', member: this.#place() });
    }
  }

  async start(id) {
    await sleep(TAKES.start);
    this.#set(id, 'running');
  }

  async stop(id) {
    await sleep(TAKES.start);
    this.#set(id, 'stopped');
  }

  async remove(id) {
    await sleep(TAKES.create);
    this.#machines.delete(id);
    this.#emit({ id, status: 'gone' });
  }

  async list() {
    await sleep(TAKES.list);
    return [...this.#machines].map(([id, { status, member }]) => ({ id, status, member }));
  }

  async *watch(signal) {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const event = this.#events.shift();
      if (event) yield event;
      else
        await new Promise((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  async dial() {
    await sleep(TAKES.dial);
    return new StillScreen();
  }

  async members() {
    const states = await this.memberStates();
    const sizes = { memoryUsedBytes: 1e11, memoryTotalBytes: 2e11 };
    const resources = { cpu: 64, ...sizes, diskUsedBytes: 1e12, diskTotalBytes: 2e12 };
    return states.map((state) => ({ ...state, resources }));
  }

  async memberStates() {
    await sleep(TAKES.query);
    const state = { status: 'online', detail: 'in memory', architecture: 'x86_64', groups: [] };
    return Array.from({ length: MEMBERS }, (_, index) => {
      const name = memberName(index);
      return { ...state, name, address: `${name}.example.com:8443` };
    });
  }

  async memberOf(id) {
    await sleep(TAKES.query);
    return this.#machines.get(id)?.member;
  }

  async unlisted() {
    return [];
  }

  async move(id, member) {
    const machine = this.#machines.get(id);
    if (machine !== undefined) machine.member = member;
  }

  #place() {
    return memberName(this.#placed++);
  }

  #set(id, status) {
    const machine = this.#machines.get(id);
    if (machine === undefined) return;
    machine.status = status;
    this.#emit({ id, ...machine });
  }

  #emit(event) {
    this.#events.push(event);
    this.#wake();
  }
}
