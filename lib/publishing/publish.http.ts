import { refuse } from '../contract/refusals.ts';
import type { DeliveryFault } from '../delivery/drain.ts';
import type { Ledger } from '../delivery/log.ts';
import { answer, type HttpAnswer, type LogFacts, refusalAnswer } from '../http/answer.ts';
import { type HttpRequest, unreadableJson } from '../http/request.ts';
import type { Admission } from '../registry/admission.http.ts';
import type { Connection } from '../registry/connection.ts';
import type { Registry } from '../registry/registry.ts';
import { type PublishPorts, publish } from './publish.ts';
import { type Verdict, validate } from './verdict.ts';

const faultFacts = ({ name, queue }: DeliveryFault): LogFacts => ({
  fault: name,
  ...(queue === undefined ? {} : { faultQueue: queue }),
});

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
    ...(verdict.kind === 'refused' && verdict.fault && faultFacts(verdict.fault)),
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
  (admission: ReturnType<Admission>, decide: Decide, dryRun: boolean) =>
  async (request: HttpRequest): Promise<HttpAnswer> => {
    const { caller, signer } = request;
    if (!caller && signer === undefined) return refusalAnswer(refuse('producer.unauthenticated'));
    const early = unreadableJson(request);
    if (early) return refusalAnswer(early, caller);
    const admitted = await admission(request);
    if (admitted.kind === 'refused') return refusalAnswer(admitted, caller);
    return verdictAnswer(await decide(request.body, admitted.connection), admitted.connection, dryRun);
  };

/** A publish route: decides and delivers what the admitted connection sends. */
export const publishEdge = (
  ports: PublishPorts,
  admission: Admission,
): ((request: HttpRequest) => Promise<HttpAnswer>) =>
  decided(admission(ports.registry), publish(ports), false);

/** A dry-run route: the verdict a publish would get. */
export const validateEdge = (
  ports: { readonly registry: Registry; readonly ledger: Ledger },
  admission: Admission,
): ((request: HttpRequest) => Promise<HttpAnswer>) =>
  decided(admission(ports.registry), validate(ports), true);
