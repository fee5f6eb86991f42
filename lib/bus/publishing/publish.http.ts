import type { Connection } from '../../access/registry/connection.ts';
import type { Admitted } from '../../access/registry/registry.ts';
import type { Admission } from '../../access/trust/admission.http.ts';
import { type Clock, defined } from '../../contract/outside.ts';
import { type Refusal, refuse } from '../../contract/refusals.ts';
import { type HttpRequest, traceparentOf, unreadableJson } from '../../platform/http/request.ts';
import { type HttpResponse, refusalResponse, response } from '../../platform/http/response.ts';
import { factsOf, type Message } from '../../som/messages/read-message.ts';
import type { AcceptedPublish, AttemptRecorder } from '../activity/records.ts';
import type { LedgerView } from '../delivery/log.ts';
import { type PublishPorts, publish } from './publish.ts';
import { type PublishAudience, type Published, type Verdict, validate } from './verdict.ts';

export const verdictResponse = (
  verdict: Verdict,
  connection: Connection,
  dryRun: boolean,
): HttpResponse => {
  const { message } = verdict;
  const error = verdict.kind === 'refused' ? verdict.error : undefined;
  const log = defined({
    connection: connection.id,
    workspace: connection.workspace,
    messageId: message?.messageId,
    messageType: message?.messageType,
    correlationId: message?.correlationId,
    error: error?.name,
    errorQueue: error?.queue,
  });

  switch (verdict.kind) {
    case 'refused':
      return refusalResponse(verdict, log);
    case 'duplicate':
      return response(
        200,
        { accepted: true, duplicate: true, message_id: verdict.message.messageId },
        { log },
      );
    case 'accepted':
      return response(202, acceptance(verdict, dryRun), { log });
  }
};

const acceptance = (
  { message, tolerated }: Extract<Verdict, { kind: 'accepted' }>,
  dryRun: boolean,
) => ({
  accepted: true,
  message_id: message.messageId,
  message_type: message.messageType,
  family: message.family,
  ...(tolerated.length > 0 && { tolerated }),
  ...(dryRun && { dry_run: true }),
});

type Serve = (
  body: Uint8Array,
  connection: Connection,
  traceparent?: string,
) => Promise<HttpResponse>;

type Admit = (request: HttpRequest) => Promise<Admitted | Refusal>;

const respondToMessage = (admit: Admit, serve: Serve) =>
  async function respondToMessage(request: HttpRequest): Promise<HttpResponse> {
    const { caller, signer } = request;
    if (!caller && signer === undefined) return refusalResponse(refuse('producer.unauthenticated'));

    const unreadable = unreadableJson(request);
    if (unreadable) return refusalResponse(unreadable, caller);

    const admitted = await admit(request);
    if (admitted.kind === 'refused') return refusalResponse(admitted, caller);

    const traceparent = traceparentOf(request);
    const response = await serve(request.body, admitted.connection, traceparent);
    if (traceparent === undefined) return response;
    return { ...response, log: { ...response.log, traceparent } };
  };

interface RecordingPorts {
  readonly clock: Clock;
  readonly recorder: AttemptRecorder;
}

const titleIn = ({
  story,
  messageType,
  correlationId,
  body,
}: Message): Pick<AcceptedPublish, 'title'> => {
  if (!story) return {};
  const { headline, slug } = factsOf(messageType, body);
  return { title: defined({ storyId: story.storyId, correlationId, headline, slug }) };
};

/** Records a publish that accepted nothing new, and counts the others: the ledger has them. */
const recordAttempt = async (
  { clock, recorder }: RecordingPorts,
  verdict: Verdict,
  { connection, body }: { connection: Connection; body: Uint8Array },
): Promise<void> => {
  const event = { connection: connection.id, workspace: connection.workspace, at: clock.now() };
  const attempt = { ...event, sizeBytes: body.byteLength };

  switch (verdict.kind) {
    case 'accepted':
      return recorder.record({
        ...event,
        kind: 'accepted',
        copies: verdict.copies ?? 0,
        ...titleIn(verdict.message),
      });
    case 'duplicate':
      return recorder.record({ kind: 'repeated', ...attempt, message: verdict.message });
    case 'refused': {
      const { violations, named, committedCopies: copies } = verdict;
      if (copies !== undefined) await recorder.record({ kind: 'accepted', ...event, copies });
      const text = { organisation: connection.organisation, body };
      return recorder.record({ kind: 'refused', ...attempt, message: named, violations, text });
    }
  }
};

interface ServePublishPorts extends PublishPorts, RecordingPorts {
  /** Absent: every message is everybody's. */
  readonly audience?: PublishAudience<HttpResponse>;
}

export const servePublish = (ports: ServePublishPorts): Serve => {
  const { audience } = ports;

  const decide = async (
    body: Uint8Array,
    producer: Connection,
    traceparent?: string,
  ): Promise<Published<HttpResponse>> => {
    const options = defined({ audienceOf: audience?.of(producer), traceparent });
    const verdict = await publish(ports)(body, producer, options);
    await recordAttempt(ports, verdict, { connection: producer, body });
    return { verdict, response: verdictResponse(verdict, producer, false) };
  };

  return async (body, producer, traceparent) => {
    const attempt = () => decide(body, producer, traceparent);
    if (audience) return audience.serve({ producer, body }, attempt);

    const { response } = await attempt();
    return response;
  };
};

export const publishEdge = <R>(
  ports: ServePublishPorts & { registry: R },
  admission: Admission<R>,
): ((request: HttpRequest) => Promise<HttpResponse>) =>
  respondToMessage(admission(ports.registry), servePublish(ports));

export const validateEdge = <R>(
  ports: {
    registry: R;
    ledger: LedgerView;
    audience?: Pick<PublishAudience<HttpResponse>, 'of'>;
  },
  admission: Admission<R>,
): ((request: HttpRequest) => Promise<HttpResponse>) =>
  respondToMessage(admission(ports.registry), async (body, connection) => {
    const verdict = await validate(ports)(body, connection, ports.audience?.of(connection));
    return verdictResponse(verdict, connection, true);
  });
