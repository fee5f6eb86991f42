import { createHash } from 'node:crypto';
import { producerJudge } from '../../../lib/checks/producer-judge.ts';
import { producerPlan } from '../../../lib/checks/producer-plan.ts';
import type { Attempt, CaseRecord, PlayedStep, RunRecord } from '../../../lib/checks/record.ts';
import { judgeCases } from '../../../lib/checks/verdict.ts';
import type { connect, NoResponse } from '../../../lib/client/index.ts';
import type { CaseReport } from '../../../lib/contract/checks.ts';
import type { Faults } from '../../../lib/contract/faults.ts';
import { readMessage } from '../../../lib/messages/read-message.ts';
import { judge } from '../../../lib/publishing/verdict.ts';
import type { StoryState } from '../../../lib/stories/sequence-rules.ts';
import { VirtualTime } from '../../client/virtual-time.ts';
import type { referenceProducer } from './reference-producer.ts';

/** What is needed of a producer, which may have a fault. */
export interface ProducerModules {
  readonly connect: typeof connect;
  readonly NoResponse: typeof NoResponse;
  readonly referenceProducer: typeof referenceProducer;
}

export const producerFiles = ['lib/client/index.ts', 'test/checks/planted/reference-producer.ts'];

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

const refusal = (status: number, rules: readonly string[], headers = {}): Response =>
  json(
    status,
    { accepted: false, violations: rules.map(rule => ({ source: 'policy', rule, message: rule })) },
    headers,
  );

/** The token and publish routes of a bus on paper, with what a run lets go wrong. */
class PaperRoutes {
  readonly time = new VirtualTime();
  readonly attempts: Attempt[] = [];
  readonly tokens: { at: number; refused: boolean }[] = [];
  secret = 'sbs_first';
  faults: Pick<Faults, 'refuse' | 'loseResponses' | 'slow'> = {};
  #token = 0;
  readonly #accepted = new Map<string, string>();
  readonly #stories = new Map<string, StoryState>();

  endTokens(): void {
    this.#token += 1;
  }

  fetch = async (url: string, init: RequestInit): Promise<Response> => {
    this.time.pass(20);
    const headers = new Headers(init.headers);
    if (url.endsWith('/oauth/token')) return this.#issue(headers.get('authorization') ?? '');
    const body = Buffer.from(String(init.body));
    if (headers.get('authorization') === `Bearer token-${this.#token}`)
      return this.#publish(body, init.signal ?? undefined);
    this.#note(body, { outcome: 'refused', rules: ['producer.unauthenticated'], injected: 'refused' });
    return refusal(401, ['producer.unauthenticated']);
  };

  #issue(authorization: string): Response {
    const [, secret] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
    const refused = secret !== this.secret;
    this.tokens.push({ at: this.time.now(), refused });
    return refused
      ? json(401, { error: 'invalid_client', error_description: 'no' })
      : json(200, { access_token: `token-${this.#token}`, expires_in: 3600 });
  }

  #note(body: Buffer, seen: Pick<Attempt, 'outcome' | 'rules' | 'injected' | 'retryAfterSeconds'>): void {
    const message = JSON.parse(body.toString());
    this.attempts.push({
      at: this.time.now(),
      ...seen,
      messageId: message.message_id,
      messageType: message.message_type,
      correlationId: message.correlation_id,
      bodyHash: createHash('sha256').update(body).digest('base64url'),
      sizeBytes: body.length,
      message,
    });
  }

  #publish(body: Buffer, signal: AbortSignal | undefined): Response {
    const { refuse, loseResponses = 0, slow = 0 } = this.faults;
    const read = readMessage(body);
    const text = body.toString();
    const message = JSON.parse(text);
    const times = refuse?.times ?? 1;
    if (refuse && times > 0) {
      this.faults = { ...this.faults, refuse: { ...refuse, times: times - 1 } };
      const rule = refuse.status === 429 ? 'rate.limited' : 'registry.unavailable';
      const { retryAfter } = refuse;
      this.#note(body, {
        outcome: 'refused',
        rules: [rule],
        injected: 'refused',
        ...(retryAfter ? { retryAfterSeconds: retryAfter } : {}),
      });
      return refusal(refuse.status, [rule], retryAfter ? { 'retry-after': String(retryAfter) } : {});
    }
    const { outcome, rules, status } = this.#verdict(read, message, text);
    const isLost = loseResponses > 0;
    const isSlow = typeof slow === 'number' && slow > 0;
    if (isSlow) this.faults = { ...this.faults, slow: 0 };
    const injected = isLost ? 'lost' : isSlow ? 'slow' : undefined;
    this.#note(body, { outcome, rules, ...(injected ? { injected } : {}) });
    if (isLost) {
      this.faults = { ...this.faults, loseResponses: loseResponses - 1 };
      return refusal(503, ['bus.publish_failed']);
    }
    if (isSlow) this.time.pass(slow, signal);
    signal?.throwIfAborted();
    if (outcome === 'refused') return refusal(status, rules);
    return json(status, {
      accepted: true,
      message_id: message.message_id,
      duplicate: outcome === 'duplicate',
    });
  }

  #verdict(
    read: ReturnType<typeof readMessage>,
    message: { readonly message_id: string; readonly payload: { readonly story_id?: string } },
    text: string,
  ) {
    const refused = (status: number, violations: readonly { readonly rule: string }[]) =>
      ({ outcome: 'refused', status, rules: violations.map(({ rule }) => rule) }) as const;
    if (!read.ok) return refused(400, read.violations);
    if (read.message.systemId !== 'desk') return refused(403, [{ rule: 'producer.system_id_not_allowed' }]);
    const before = this.#accepted.get(message.message_id);
    if (before === text) return { outcome: 'duplicate', status: 200, rules: [] } as const;
    if (before !== undefined) return refused(409, [{ rule: 'message_id.reused' }]);
    const storyId = message.payload.story_id ?? '';
    const story = this.#stories.get(storyId);
    const judged = judge(read.message, story ? { story } : {});
    if (judged.kind === 'refuse') return refused(409, judged.violations);
    this.#accepted.set(message.message_id, text);
    if (judged.kind === 'accept' && judged.story) this.#stories.set(storyId, judged.story);
    return { outcome: 'accepted', status: 202, rules: [] } as const;
  }
}

export const wantedTypes = ['link.committed', 'story.context', 'telling.started'];
const plan = producerPlan({ messageTypes: wantedTypes });

/** Lets a producer work, lets one thing after the other go wrong for it, and judges it. */
export const producerJudgedOnPaper = async ({
  connect: connectTo,
  NoResponse,
  referenceProducer: producerOf,
}: ProducerModules): Promise<readonly CaseReport[]> => {
  const routes = new PaperRoutes();
  const { time } = routes;
  const { now, sleep, timeout } = time;
  let known = routes.secret;
  const producer = producerOf({
    connect: connectTo,
    NoResponse: NoResponse,
    secret: () => known,
    options: {
      baseUrl: 'https://bus.example/v1',
      workspace: 'wnewsroom2345',
      clientId: 'cproducer2345',
      system: { system_id: 'desk', system_type: 'ncs' },
      outside: { fetch: routes.fetch, now, sleep, timeout, random: () => 0.5 },
    },
    now,
    async sleep(milliseconds) {
      await sleep(milliseconds);
      // Its operator has brought the new secret after some minutes.
      if (now() > rotatedAt + 600_000) known = routes.secret;
    },
  });
  let rotatedAt = Number.POSITIVE_INFINITY;
  const startedAt = now();
  await producer.work();
  await producer.slip();
  const whole = (): PlayedStep => ({ at: startedAt, played: [], settledAt: now() });
  const cases: CaseRecord[] = [];
  for (const { id, steps, isAlone } of plan.cases) {
    const at = now();
    const action = steps[0]?.action;
    if (isAlone && action?.kind === 'inject') routes.faults = action.faults;
    if (action?.kind === 'endTokens') routes.endTokens();
    if (isAlone) await producer.next();
    routes.faults = {};
    time.pass(10_000);
    const own = isAlone ? { at, played: [], settledAt: now() } : whole();
    cases.push({ id, correlationId: '', storyId: '', steps: steps.map(() => own) });
  }
  routes.secret = 'sbs_second';
  routes.endTokens();
  rotatedAt = now();
  await producer.next();
  const record: RunRecord = {
    startedAt,
    endedAt: now(),
    cases,
    attempts: routes.attempts,
    receives: [],
    tokens: routes.tokens,
  };
  return judgeCases(plan, producerJudge, record);
};
