import type { Throttle } from './limits.ts';

/** Who has to be known before a route runs: nobody, the bearer of a token, or the signer of the request (SigV4). */
export type Auth = 'none' | 'bearer' | 'sigv4';

/** The parts of the outside world a route may use; `lib/ports` says what each is. */
export type PortName =
  | 'clock'
  | 'ids'
  | 'registry'
  | 'principals'
  | 'queueReaders'
  | 'credentials'
  | 'signer'
  | 'ledger'
  | 'log'
  | 'queues'
  | 'inbox'
  | 'receipts'
  | 'backlog'
  | 'archive'
  | 'replays'
  | 'metrics';

export interface Route {
  readonly api: 'bus' | 'portal';
  readonly method: 'GET' | 'POST';
  /** API Gateway syntax: `{t}` is the workspace id, `{c}` a consumer connection id. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly ports: readonly PortName[];
  readonly throttle: Throttle;
  /** Any web page may call it: preflights (OPTIONS) are answered, and HEAD beside GET. */
  readonly crossOrigin?: true;
  readonly summary: string;
  /** Whose identity providers' tokens the route takes beside the bus's own: the workspace's, or the operator's. */
  readonly issuers?: 'workspace' | 'operator';
}

/** The methods that a route's address answers to. */
export const methodsOf = ({ method, crossOrigin }: Route): readonly string[] => [
  method,
  ...(crossOrigin && method === 'GET' ? ['HEAD'] : []),
  ...(crossOrigin ? ['OPTIONS'] : []),
];
