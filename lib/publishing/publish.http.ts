import { hash } from 'node:crypto';
import type { Accepted, Recorder } from '../activity/records.ts';
import type { Clock } from '../contract/outside.ts';
import { refuse } from '../contract/refusals.ts';
import type { DeliveryFault } from '../delivery/drain.ts';
import type { LedgerView } from '../delivery/log.ts';
import {
  answer,
  apiRefusal,
  type HttpAnswer,
  type LogFacts,
  limitedAnswer,
  refusalAnswer,
} from '../http/answer.ts';
import { type HttpRequest, unreadableJson } from '../http/request.ts';
import { isJsonObject, type JsonObject, jsonIn, textOf } from '../json/value.ts';
import type { Message, Named } from '../messages/read-message.ts';
import type { Admission } from '../registry/admission.http.ts';
import type { Connection } from '../registry/connection.ts';
import type { InjectedFault, Sighting, TestRuns } from '../registry/test-runs.ts';
import { factsOf } from '../stories/story-facts.ts';
import { type PublishPorts, publish } from './publish.ts';
import { type AudiencePorts, type Verdict, validate } from './verdict.ts';

const faultFacts = ({ name, queue }: DeliveryFault): LogFacts => ({
  fault: name,
  ...(queue === undefined ? {} : { faultQueue: queue }),
});

/** The answer of a publish, or of a dry run, to a verdict. */
export const verdictAnswer = (verdict: Verdict, connection: Connection, dryRun: boolean): HttpAnswer => {
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

/** Serves a message of an admitted connection. */
type Serve = (body: Uint8Array, connection: Connection) => Promise<HttpAnswer>;

const answerMessage = (admission: ReturnType<Admission<never>>, serve: Serve) =>
  async function answerMessage(request: HttpRequest): Promise<HttpAnswer> {
    const { caller, signer } = request;
    if (!caller && signer === undefined) return refusalAnswer(refuse('producer.unauthenticated'));
    const early = unreadableJson(request);
    if (early) return refusalAnswer(early, caller);
    const admitted = await admission(request);
    if (admitted.kind === 'refused') return refusalAnswer(admitted, caller);
    return serve(request.body, admitted.connection);
  };

/** What publishing as a connection under test needs. */
interface TestedPorts {
  readonly clock: Clock;
  readonly testRuns: TestRuns;
}

/** Larger messages are recorded without their content. */
const keptBytes = 32 * 1024;

type AttemptSeen = Extract<Sighting, { readonly kind: 'attempt' }>;

const contentOf = (body: Uint8Array): JsonObject | undefined => {
  const value = jsonIn(body);
  return isJsonObject(value) ? value : undefined;
};

const namesOf = ({
  messageId,
  messageType,
  correlationId,
}: { readonly [Name in keyof Named]: Named[Name] | undefined }): Named => ({
  ...(messageId === undefined ? {} : { messageId }),
  ...(messageType === undefined ? {} : { messageType }),
  ...(correlationId === undefined ? {} : { correlationId }),
});

const namesIn = (message: JsonObject | undefined): Named => {
  const text = (name: string): string | undefined => textOf(message, name) || undefined;
  return namesOf({
    messageId: text('message_id'),
    messageType: text('message_type'),
    correlationId: text('correlation_id'),
  });
};

/** What is recorded of an attempt, whatever became of it: its names even where its content is not kept. */
const seen = (body: Uint8Array, at: number): Omit<AttemptSeen, 'outcome' | 'rules'> => {
  const message = contentOf(body);
  return {
    kind: 'attempt',
    at,
    ...namesIn(message),
    bodyHash: hash('sha256', body, 'base64url'),
    sizeBytes: body.byteLength,
    ...(message === undefined || body.byteLength > keptBytes ? {} : { message }),
  };
};

const judged = (verdict: Verdict): Pick<AttemptSeen, 'outcome' | 'rules'> & Named => {
  if (verdict.kind !== 'refused') return { outcome: verdict.kind, rules: [], ...namesOf(verdict.message) };
  const rules = [...new Set(verdict.violations.map(({ rule }) => rule))];
  return { outcome: 'refused', rules, ...namesOf(verdict.named) };
};

const wait = ({ retryAfterSeconds }: { readonly retryAfterSeconds?: number }) =>
  retryAfterSeconds === undefined ? {} : { retryAfterSeconds };

/** The refusal that a run asked for. */
const injectedRefusal = ({ status, retryAfterSeconds }: NonNullable<InjectedFault['refuse']>): HttpAnswer => {
  if (status === 401) return apiRefusal('bus', 'producer.unauthenticated');
  if (status === 429)
    return limitedAnswer('bus', {
      rule: 'rate.limited',
      waitMilliseconds: (retryAfterSeconds ?? 1) * 1000,
    });
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` };
  return apiRefusal('bus', 'registry.unavailable', { headers });
};

/**
 * Serves a publish of a connection that is under test: what the run wants to go wrong does, and the run learns of the attempt. A lost
 * answer is a 503 after the commit: a function behind API Gateway cannot drop its caller.
 */
const serveUnderTest = async (
  { testRuns, clock }: TestedPorts,
  { run, body }: { readonly run: string; readonly body: Uint8Array },
  publishAndAnswer: () => Promise<{ readonly verdict: Verdict; readonly answer: HttpAnswer }>,
): Promise<HttpAnswer> => {
  const fault = await testRuns.takeFault(run);
  if (!fault) return (await publishAndAnswer()).answer;
  if (fault.slowMilliseconds !== undefined) await clock.sleep(fault.slowMilliseconds);
  const attempt = seen(body, clock.now());
  if (fault.refuse) {
    const refusal = { outcome: 'refused', rules: [], injected: 'refused', ...wait(fault.refuse) } as const;
    await testRuns.note(run, { ...attempt, ...refusal });
    return injectedRefusal(fault.refuse);
  }
  const { verdict, answer } = await publishAndAnswer();
  const lost = fault.loseAnswer && verdict.kind !== 'refused';
  const injected = lost ? 'lost' : fault.slowMilliseconds === undefined ? undefined : 'slow';
  await testRuns.note(run, { ...attempt, ...judged(verdict), ...(injected ? { injected } : {}) });
  return lost ? apiRefusal('bus', 'bus.publish_failed') : answer;
};

interface RecordingPorts {
  readonly clock: Clock;
  readonly recorder: Recorder;
}

/** How people call the story of a snapshot. */
const titleIn = ({ story, messageType, correlationId, body }: Message): Pick<Accepted, 'title'> => {
  if (!story) return {};
  const { headline, slug } = factsOf(messageType, body);
  const { storyId } = story;
  return {
    title: {
      storyId,
      correlationId,
      ...(headline === undefined ? {} : { headline }),
      ...(slug === undefined ? {} : { slug }),
    },
  };
};

/** Records a publish that accepted nothing new, and counts the others: the ledger has them. */
const recordAttempt = async (
  { clock, recorder }: RecordingPorts,
  verdict: Verdict,
  { connection, sizeBytes }: { readonly connection: Connection; readonly sizeBytes: number },
): Promise<void> => {
  const deed = { connection: connection.id, workspace: connection.workspace, at: clock.now() };
  const attempt = { ...deed, sizeBytes };
  switch (verdict.kind) {
    case 'accepted':
      return recorder.record({
        kind: 'accepted',
        ...deed,
        copies: verdict.copies ?? 0,
        ...titleIn(verdict.message),
      });
    case 'duplicate':
      return recorder.record({ kind: 'repeated', ...attempt, message: verdict.message });
    case 'refused': {
      const { violations, named, committedCopies: copies } = verdict;
      if (copies !== undefined) await recorder.record({ kind: 'accepted', ...deed, copies });
      return recorder.record({ kind: 'refused', ...attempt, message: named, violations });
    }
  }
};

/** A publish route: publishes the message of an admitted connection. */
export const publishEdge = <R>(
  ports: PublishPorts & RecordingPorts & TestedPorts & { readonly registry: R },
  admission: Admission<R>,
): ((request: HttpRequest) => Promise<HttpAnswer>) => {
  const decide = async (body: Uint8Array, connection: Connection) => {
    const verdict = await publish(ports)(body, connection);
    await recordAttempt(ports, verdict, { connection, sizeBytes: body.byteLength });
    return { verdict, answer: verdictAnswer(verdict, connection, false) };
  };
  return answerMessage(admission(ports.registry), async (body, connection) =>
    connection.underTest === undefined
      ? (await decide(body, connection)).answer
      : serveUnderTest(ports, { run: connection.underTest, body }, () => decide(body, connection)),
  );
};

/** A dry-run route: answers with the verdict that a publish would get. */
export const validateEdge = <R>(
  ports: AudiencePorts & { readonly registry: R; readonly ledger: LedgerView },
  admission: Admission<R>,
): ((request: HttpRequest) => Promise<HttpAnswer>) =>
  answerMessage(admission(ports.registry), async (body, connection) =>
    verdictAnswer(await validate(ports)(body, connection), connection, true),
  );
