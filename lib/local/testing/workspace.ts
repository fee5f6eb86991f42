import { readFileSync } from 'node:fs';
import { createOrganisation, createWorkspace } from '../../access/people/organisations.ts';
import { readConnectionSet, type WantedConnection } from '../../access/registry/connection-set.ts';
import { type ConnectionRequest, createConnection } from '../../access/registry/connections.ts';
import { limits, type Tier } from '../../contract/limits.ts';
import { connect } from '../../kit/client/index.ts';
import { operatorPorts } from '../../wiring/operator.ts';
import { resultOrThrow } from '../seed.ts';
import type { TestConnection } from './api.ts';
import type { TurnableClock } from './clock.ts';
import type { TestService } from './test-service.ts';

/** Makes connections in the workspace of a bus, and clients that share its clock. */
export class Workspace {
  readonly id: string;
  readonly #service: TestService;
  readonly #clock: TurnableClock;
  readonly #kinds = new Map<string, 'producer' | 'consumer'>();
  readonly #over = new AbortController();
  #apps = 0;

  constructor(id: string, service: TestService, clock: TurnableClock) {
    this.id = id;
    this.#service = service;
    this.#clock = clock;
  }

  newApp(): string {
    this.#apps += 1;
    return `app-${this.#apps}`;
  }

  async connect(request: Omit<ConnectionRequest, 'workspace'>): Promise<TestConnection> {
    const ports = operatorPorts(this.#service.env);
    const issued = resultOrThrow(await createConnection(ports, { ...request, workspace: this.id }));
    // A publish may have read the consumers just before, and would not know of this one.
    this.#clock.turn(limits.consumersCacheMilliseconds);
    const { id, kind, systemIds } = issued.connection;
    this.#kinds.set(id, kind);
    const [system_id] = systemIds;
    const { baseUrl } = this.#service;
    const options = {
      baseUrl,
      workspace: this.id,
      clientId: id,
      clientSecret: issued.clientSecret,
    };
    const client = connect({
      ...options,
      ...(system_id !== undefined && { system: { system_id, system_type: 'custom' } }),
      outside: { now: this.#clock.now, sleep: (pause, signal) => this.#sleep(pause, signal) },
    });
    const consume: typeof client.consume = asked => {
      const signals = [this.#over.signal, ...(asked?.signal ? [asked.signal] : [])];
      // What was published is in the queue: nothing is worth waiting for.
      const wait = asked?.untilEmpty ? { wait: 0 } : {};
      // It has no limits of requests.
      const requestsPerMinute = Number.POSITIVE_INFINITY;
      const signal = AbortSignal.any(signals);
      return client.consume({ requestsPerMinute, ...wait, ...asked, signal });
    };
    return { ...client, consume, id, secret: issued.clientSecret, options };
  }

  kindOf(connection: string): 'producer' | 'consumer' | undefined {
    return this.#kinds.get(connection);
  }

  /**
   * Loops of consumers end, and calls that would be tried again fail: nobody responds from now on.
   */
  endClients(): void {
    this.#over.abort(new Error('The test bus is closed.'));
  }

  #sleep(pause: number, asked?: AbortSignal): Promise<void> {
    const signal = asked ? AbortSignal.any([asked, this.#over.signal]) : this.#over.signal;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = this.#clock.after(pause, () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      signal.addEventListener('abort', stop);
    });
  }
}

export const openWorkspace = async (
  service: TestService,
  clock: TurnableClock,
  tier: Tier,
): Promise<Workspace> => {
  const ports = operatorPorts(service.env);
  const organisation = await createOrganisation(ports, { name: 'Test Broadcaster', tier });
  const name = { name: 'Test Newsroom', organisation: organisation.id };
  return new Workspace(resultOrThrow(await createWorkspace(ports, name)).id, service, clock);
};

/** The connections that a file asks for. @throws Error with everything that is wrong with it */
export const wantedIn = (file: string): readonly WantedConnection[] => {
  const set = readConnectionSet(readFileSync(file, 'utf8'));
  if (set.kind === 'set') return set.wanted;
  throw new Error([`${file}: ${set.reason}`, ...set.problems].join('\n'));
};

export const applied = async (workspace: Workspace, wanted: readonly WantedConnection[]) => {
  const made = new Map<string, TestConnection>();
  for (const { name, prefix: _, named: __, ...request } of wanted)
    made.set(`${name} ${request.kind}`, await workspace.connect(request));
  return (name: string, kind: string): TestConnection => {
    const connection = made.get(`${name} ${kind}`);
    if (connection) return connection;
    throw new Error(`The file of connections has no ${kind} "${name}".`);
  };
};
