import { admit } from '../app/admit.ts';
import { type PublishPorts, publish } from '../app/publish.ts';
import { type Refusal, refuse } from '../app/refusal.ts';
import { validate } from '../app/validate.ts';
import type { Verdict } from '../app/verdict.ts';
import { limits } from '../contract/limits.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Clock, Ledger, Registry } from '../ports.ts';
import type { Edge } from './edge.ts';
import { answer, type HttpAnswer, refusalAnswer } from './http-answer.ts';
import type { HttpRequest } from './http-request.ts';
import { mediaType } from './media-type.ts';

/** What can be refused before anything of the message is read. */
const unread = ({ body, headers }: HttpRequest): Refusal | undefined => {
  if (body.length > limits.messageBytes) return refuse('message.too_large');
  return mediaType(headers['content-type']) === 'application/json'
    ? undefined
    : refuse('message.unsupported_media_type');
};

const verdictAnswer = (verdict: Verdict, connection: Connection, dryRun: boolean): HttpAnswer => {
  const { message } = verdict;
  const log = {
    connection: connection.id,
    workspace: connection.workspace,
    ...(message && {
      messageId: message.messageId,
      messageType: message.messageType,
      correlationId: message.correlationId,
    }),
  };
  switch (verdict.kind) {
    case 'refused':
      return refusalAnswer(verdict, log);
    case 'duplicate':
      return answer(200, { accepted: true, duplicate: true, message_id: verdict.message.messageId }, { log });
    case 'accepted':
      return answer(202, acceptance(verdict, dryRun), { log });
  }
};

const acceptance = ({ message, tolerated }: Extract<Verdict, { kind: 'accepted' }>, dryRun: boolean) => ({
  accepted: true,
  message_id: message.messageId,
  message_type: message.messageType,
  family: message.family,
  ...(tolerated.length > 0 ? { tolerated } : {}),
  ...(dryRun ? { dry_run: true } : {}),
});

type Decide = (body: Uint8Array, connection: Connection) => Promise<Verdict>;

const decided =
  (registry: Registry, decide: Decide, dryRun: boolean) =>
  async (request: HttpRequest): Promise<HttpAnswer> => {
    const { caller, pathParameters } = request;
    if (!caller) return refusalAnswer(refuse('producer.unauthenticated'));
    const early = unread(request);
    if (early) return refusalAnswer(early, caller);
    const destination = { workspace: pathParameters['t'] ?? '', kind: 'producer' } as const;
    const admission = await admit(registry, caller, destination);
    if (admission.kind === 'refused') return refusalAnswer(admission, caller);
    return verdictAnswer(await decide(request.body, admission.connection), admission.connection, dryRun);
  };

/** `POST /v1/tenants/{t}/messages`. */
export const publishEdge: Edge<PublishPorts> = ports => decided(ports.registry, publish(ports), false);

/** `POST /v1/tenants/{t}/validate`. */
export const validateEdge: Edge<{ clock: Clock; registry: Registry; ledger: Ledger }> = ports =>
  decided(ports.registry, validate(ports), true);
