import type { HttpAnswer } from './http-answer.ts';
import type { HttpRequest } from './http-request.ts';

/** What of the deployment an edge may know. */
export interface EdgeSettings {
  /** Without a path. */
  readonly origin: string;
}

/** One route over its ports: from request to answer. Faults are thrown; `respond` turns them into an answer. */
export type Edge<Ports> = (
  ports: Ports,
  settings: EdgeSettings,
) => (request: HttpRequest) => Promise<HttpAnswer>;
