import { admit } from '../app/admit.ts';
import { refuse } from '../app/refusal.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Registry } from '../ports/registry.ts';
import { type HttpAnswer, type LogFacts, refusalAnswer } from './http-answer.ts';
import type { HttpRequest } from './http-request.ts';

export interface Consumer {
  readonly connection: Connection;
  readonly log: LogFacts;
}

/** Serves the consumer whose own token this is, in its own workspace and at its own address. */
export const asConsumer =
  (registry: Registry, serve: (consumer: Consumer, request: HttpRequest) => Promise<HttpAnswer>) =>
  async (request: HttpRequest): Promise<HttpAnswer> => {
    const { caller, pathParameters } = request;
    if (!caller) return refusalAnswer(refuse('producer.unauthenticated'));
    const { t = '', c = '' } = pathParameters;
    const admission = await admit(registry, caller, { workspace: t, kind: 'consumer', consumer: c });
    if (admission.kind === 'refused') return refusalAnswer(admission, caller);
    return serve({ connection: admission.connection, log: caller }, request);
  };
