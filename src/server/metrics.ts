import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Engine } from '../engines/engine.js';
import type { Owner } from '../fleet/accounts/api-keys.js';
import type { Fleet } from '../fleet/fleet.js';
import { onSocket } from './http/log.js';
import { ownerOf } from './requests.js';
import { nothingHere } from './routes.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const CALLS = [
  'probe',
  'images',
  'create',
  'start',
  'stop',
  'remove',
  'list',
  'dial',
  'fork',
  'save',
  'reset',
  'savedDisks',
  'removeSaved',
  'usage',
];

/** The service's Prometheus metrics. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram;
  readonly #actions: Histogram;
  readonly #engineCalls: Histogram;
  readonly #refused: Counter;
  readonly #sockets: Gauge;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: 'vc_http_request_duration_seconds',
      help: 'Requests by route, method and status, and how long they took.',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers,
    });
    this.#actions = new Histogram({
      name: 'vc_action_duration_seconds',
      help: 'What was done to computers, by operation and outcome, and how long it took.',
      labelNames: ['action', 'outcome'],
      buckets: SECONDS,
      registers,
    });
    this.#engineCalls = new Histogram({
      name: 'vc_engine_call_duration_seconds',
      help: 'Calls of engines by name and outcome, and how long they took.',
      labelNames: ['engine', 'call', 'outcome'],
      buckets: SECONDS,
      registers,
    });
    this.#refused = new Counter({
      name: 'vc_http_refused_total',
      help: 'Requests that were refused, by the code of the error.',
      labelNames: ['code'],
      registers,
    });
    this.#sockets = new Gauge({
      name: 'vc_open_sockets',
      help: 'WebSockets that are open, by route: live views, processes and tunnels.',
      labelNames: ['route'],
      registers,
    });
  }

  /** The engine with every call of its lifecycle counted. */
  measured(engine: Engine): Engine {
    return new Proxy(engine, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (!CALLS.includes(String(name))) return member.bind(target);
        return async (...args: unknown[]) => {
          const end = this.#engineCalls.startTimer({ engine: target.name, call: String(name) });
          try {
            const result: unknown = await member.apply(target, args);
            end({ outcome: 'ok' });
            return result;
          } catch (error) {
            end({ outcome: 'error' });
            throw error;
          }
        };
      },
    });
  }

  /** Adds gauges of the computers, the engines and the store, collected when they are read. */
  watch(fleet: Fleet): void {
    new Gauge({
      name: 'vc_computers',
      help: 'Computers by status and engine.',
      labelNames: ['status', 'engine'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { status, engine } of fleet.computers.statuses()) this.inc({ status, engine });
      },
    });
    new Gauge({
      name: 'vc_usable',
      help: 'Whether an engine, or the store, can be used: 1 or 0.',
      labelNames: ['part'],
      registers: [this.#registry],
      async collect() {
        for (const { name, usable } of await fleet.probes())
          this.set({ part: name }, Number(usable));
        this.set({ part: 'store' }, Number(fleet.storeState().usable));
      },
    });
    fleet.auditLog.onEntry(({ action, outcome, ms }) =>
      this.#actions.observe({ action, outcome }, ms / 1000),
    );
  }

  /**
   * Counts every answer of the app, and serves `GET /metrics` to administrators: the metrics cover
   * all owners.
   */
  serve(app: FastifyInstance, isAdministrator: (owner: Owner) => boolean): void {
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'unknown';
      const labels = { method: request.method, route, status: reply.statusCode };
      this.#requests.observe(labels, reply.elapsedTime / 1000);
      const code = reply.getHeader('x-error-code');
      if (code !== undefined) this.#refused.inc({ code: String(code) });
      done();
    });
    onSocket(app, ({ routeOptions: { url: route = 'unknown' } }) => {
      this.#sockets.inc({ route });
      return () => this.#sockets.dec({ route });
    });
    app.get('/metrics', async (request, reply) => {
      if (!isAdministrator(ownerOf(request))) throw nothingHere();
      return reply.type(this.#registry.contentType).send(await this.#registry.metrics());
    });
  }
}
