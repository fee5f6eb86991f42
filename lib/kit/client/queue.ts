import type { JsonObject, SomMessage } from '../../generated/som-messages.generated.ts';
import type { Bounds } from './attempts.ts';
import type { Session, SessionCall } from './session.ts';
import {
  bodyOf,
  type FullResponse,
  isObject,
  type Refused,
  refusalIn,
  type TokenRefused,
  UnexpectedResponse,
} from './verdict.ts';

export interface PulledMessage {
  /** As its producer wrote it. A message of a later SOM 1.x may have more than the types know. */
  readonly message: SomMessage;
  /** The same as text, with every digit of its numbers. */
  readonly text: string;
  readonly receiptHandle: string;
  readonly messageId: string;
  readonly messageType: string;
  readonly correlationId: string;
  readonly producerId: string;
  readonly systemId: string;
  readonly enqueuedAt: string;
  /** From 1. */
  readonly receiveCount: number;
}

export interface Pulled {
  readonly outcome: 'pulled';
  readonly messages: readonly PulledMessage[];
  /** Epoch milliseconds: the bus hides the messages from then on, or from later on. */
  readonly askedAt: number;
}

export interface Settled {
  readonly outcome: 'settled';
  readonly ok: readonly string[];
  /** These changed nothing: the rule says why. */
  readonly failed: readonly {
    readonly receiptHandle: string;
    readonly rule: string;
    readonly message: string;
  }[];
}

/** Times in seconds; the bus's limits are in its contract. */
export interface PullQuery {
  readonly max: number;
  readonly wait: number;
  readonly visibility: number;
}

export interface Backlog {
  readonly outcome: 'backlog';
  readonly visible: number;
  /** Pulled, and neither acknowledged nor returned yet. */
  readonly inFlight: number;
  /** How long the oldest has waited; null when none waits, or when it is not known. */
  readonly oldestSeconds: number | null;
  /** Why it is not known, in a sentence. */
  readonly oldestUnknown?: string;
}

/** A skill instance that a house registered for a consumer, which executes it. */
export interface SkillRegistration {
  readonly registrationId: string;
  readonly skillId: string;
  readonly skillVersion: string;
  readonly instanceLabel: string;
  readonly values: JsonObject;
  readonly paused: boolean;
}

export interface Registrations {
  readonly outcome: 'registrations';
  readonly registrations: readonly SkillRegistration[];
}

export interface Queue {
  backlog(bounds: Bounds): Promise<Backlog | Refused | TokenRefused>;
  registrations(bounds: Bounds): Promise<Registrations | Refused | TokenRefused>;
  pull(query: PullQuery, bounds: Bounds): Promise<Pulled | Refused | TokenRefused>;
  ack(receiptHandles: readonly string[], bounds: Bounds): Promise<Settled | Refused | TokenRefused>;
  /** Returns messages, and with each the later ones of its correlation_id from the same pull. */
  nack(
    receiptHandles: readonly string[],
    delaySeconds: number,
    bounds: Bounds,
  ): Promise<Settled | Refused | TokenRefused>;
}

/** How long an attempt may take, beyond its wait. */
const marginMilliseconds = 15_000;

/** `messages`, and each of them, in the object of the response. */
const envelopeDepth = 3;

/** The texts of the envelopes in the response to a pull, which is valid JSON. */
export const envelopeTexts = (json: string): readonly string[] => {
  const found: string[] = [];
  const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\],]/gy;
  const colon = /\s*:/y;
  let level = 0;
  let begin: number | undefined;
  let at = 0;
  const end = (index: number) => {
    if (begin !== undefined) found.push(json.slice(begin, index).trim());
    begin = undefined;
  };
  while (at < json.length) {
    tokens.lastIndex = at;
    const [token] = tokens.exec(json) ?? [json.charAt(at)];
    if ((token === ',' || token === '}') && level === envelopeDepth) end(at);
    if (token === '{' || token === '[') level += 1;
    if (token === '}' || token === ']') level -= 1;
    at += token.length;
    const isName = level === envelopeDepth && token === '"envelope"';
    colon.lastIndex = at;
    if (isName && colon.test(json)) begin = at = colon.lastIndex;
  }
  return found;
};

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Reads a response's members. One that is missing, or of another type, shows that something other
 * than a bus answered.
 */
const readerOf = (response: FullResponse) => {
  const expected = <T>(value: unknown, is: (value: unknown) => value is T): T => {
    if (is(value)) return value;
    throw new UnexpectedResponse(response);
  };
  return {
    text: (value: unknown) => expected(value, isText),
    number: (value: unknown) => expected(value, one => typeof one === 'number'),
    boolean: (value: unknown) => expected(value, one => typeof one === 'boolean'),
    object: (value: unknown) => expected(value, isObject),
    texts: (value: unknown) => expected(value, Array.isArray).map(one => expected(one, isText)),
    objects: (value: unknown) => expected(value, Array.isArray).map(one => expected(one, isObject)),
  };
};

const pulledIn = (response: FullResponse): Pulled => {
  const { text, number, object, objects } = readerOf(response);
  const texts = envelopeTexts(response.text);
  const messages = objects(bodyOf(response)['messages']).map(
    (record, index): PulledMessage => ({
      message: object(record['envelope']) as unknown as SomMessage, // the bus has validated it
      text: text(texts[index]),
      receiptHandle: text(record['receipt_handle']),
      messageId: text(record['message_id']),
      messageType: text(record['message_type']),
      correlationId: text(record['correlation_id']),
      producerId: text(record['producer_id']),
      systemId: text(record['system_id']),
      enqueuedAt: text(record['enqueued_at']),
      receiveCount: number(record['receive_count']),
    }),
  );
  return { outcome: 'pulled', messages, askedAt: response.askedAt };
};

const settledIn = (response: FullResponse): Settled => {
  const { text, objects, texts } = readerOf(response);
  const { ok, failed } = bodyOf(response);
  return {
    outcome: 'settled',
    ok: texts(ok),
    failed: objects(failed).map(one => ({
      receiptHandle: text(one['receipt_handle']),
      rule: text(one['rule']),
      message: text(one['message']),
    })),
  };
};

const backlogIn = (response: FullResponse): Backlog => {
  const { number, text } = readerOf(response);
  const { visible, in_flight, oldest_seconds, oldest_unknown } = bodyOf(response);
  return {
    outcome: 'backlog',
    visible: number(visible),
    inFlight: number(in_flight),
    oldestSeconds: oldest_seconds === null ? null : number(oldest_seconds),
    ...(oldest_unknown !== undefined && { oldestUnknown: text(oldest_unknown) }),
  };
};

const registrationsIn = (response: FullResponse): Registrations & { next?: string } => {
  const { text, boolean, object, objects } = readerOf(response);
  const body = bodyOf(response);
  return {
    outcome: 'registrations',
    ...(body['next'] !== undefined && { next: text(body['next']) }),
    registrations: objects(body['registrations']).map(record => ({
      registrationId: text(record['registration_id']),
      skillId: text(record['skill_id']),
      skillVersion: text(record['skill_version']),
      instanceLabel: text(record['instance_label']),
      values: object(record['values']) as JsonObject, // it comes from JSON
      paused: boolean(record['paused']),
    })),
  };
};

const read = <T>(
  response: FullResponse | TokenRefused,
  as: (response: FullResponse) => T,
): T | Refused | TokenRefused => {
  if ('outcome' in response) return response;
  if (response.status === 200) return as(response);
  return refusalIn(response);
};

export const queueOf = (session: Session, clientId: string): Queue => {
  const ask = (
    route: 'pull' | 'ack' | 'nack' | 'backlog' | 'skills',
    path: string,
    more: Pick<SessionCall, 'body' | 'waitMilliseconds'> & { bounds: Bounds },
  ) => {
    const { bounds, ...rest } = more;
    const at = {
      route,
      path: `consumers/${clientId}/${path}`,
      timeoutMilliseconds: marginMilliseconds,
    };
    return session({ ...at, ...rest }, bounds);
  };
  const settle = async (route: 'ack' | 'nack', body: object, bounds: Bounds) =>
    read(await ask(route, route, { body: JSON.stringify(body), bounds }), settledIn);
  const registrationsAfter = async (after: string | undefined, bounds: Bounds) => {
    const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
    return read(await ask('skills', `skills${query}`, { bounds }), registrationsIn);
  };
  return {
    backlog: async bounds => read(await ask('backlog', 'backlog', { bounds }), backlogIn),
    async registrations(bounds) {
      const all: SkillRegistration[] = [];
      let page = await registrationsAfter(undefined, bounds);
      while (page.outcome === 'registrations') {
        all.push(...page.registrations);
        if (page.next === undefined) return { outcome: 'registrations', registrations: all };
        page = await registrationsAfter(page.next, bounds);
      }
      return page;
    },
    async pull({ max, wait, visibility }, bounds) {
      const path = `messages?max=${max}&wait=${wait}&visibility=${visibility}`;
      return read(await ask('pull', path, { waitMilliseconds: wait * 1000, bounds }), pulledIn);
    },
    ack: (receipt_handles, bounds) => settle('ack', { receipt_handles }, bounds),
    nack: (receipt_handles, delay_seconds, bounds) =>
      settle('nack', { receipt_handles, delay_seconds }, bounds),
  };
};
