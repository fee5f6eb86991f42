export interface FullResponse {
  readonly status: number;
  readonly text: string;
  /** The bus's id of the request: give it to the operator. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The bus's time, as the header has it. */
  readonly date: string | undefined;
  /** What is left of its limits, as the header has it. */
  readonly rateLimit: string | undefined;
  /** Epoch milliseconds at which the attempt began that got it. */
  readonly askedAt: number;
  /**
   * Whether the bus may have done what was asked: in this attempt, or in an earlier one of the
   * call.
   */
  readonly mayBeDone: boolean;
}

/** One reason of the bus. `rule` is stable; `message` is for people. */
export interface Violation {
  readonly source: string;
  readonly rule: string;
  readonly message: string;
  /** A JSON Pointer into the message. */
  readonly path?: string;
}

/** Validated, and in the queue of every subscribed consumer. */
export interface Accepted {
  readonly outcome: 'accepted';
  readonly messageId: string;
  readonly messageType: string;
  /** The schema that checked the payload; null when SOM 1.0 has none for it. */
  readonly family: string | null;
  /** What the bus noticed and let pass. */
  readonly tolerated: readonly Violation[];
  /** Whether this was `validate`: then nothing was sent. */
  readonly dryRun: boolean;
}

/** A message with this id and the same content was accepted before. */
export interface Duplicate {
  readonly outcome: 'duplicate';
  readonly messageId: string;
}

/** Refused, and not accepted: the first violation decides the status. */
export interface Refused {
  readonly outcome: 'refused';
  readonly status: number;
  readonly violations: readonly [Violation, ...Violation[]];
  /** When the same bytes may be sent again, if the bus says so. */
  readonly retryAfterSeconds?: number;
  readonly requestId?: string;
}

/**
 * The message may have been accepted: an attempt got no response, or 503 `bus.publish_failed`, and
 * the last response before the deadline does not tell. Publish the same message again.
 */
export interface Uncertain extends Omit<Refused, 'outcome'> {
  readonly outcome: 'uncertain';
}

/** The bus gave the connection no token (RFC 6749 section 5.2): nothing was sent. */
export interface TokenRefused {
  readonly outcome: 'token_refused';
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly requestId?: string;
}

export type Verdict = Accepted | Duplicate | Refused | Uncertain | TokenRefused;

export type DryRunVerdict = Exclude<Verdict, Uncertain>;

/**
 * What `instanceof` asks, of any copy of this module: `som-bus/testing` has one, and `import` and
 * `require` load two.
 */
export const isNamed =
  (name: string) =>
  (error: unknown): boolean =>
    error instanceof Error && error.name === name;

export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';

  static override readonly [Symbol.hasInstance] = isNamed('UnexpectedResponse');

  readonly status: number;

  constructor({ status, requestId }: FullResponse) {
    const id = requestId === undefined ? '' : `, x-request-id ${requestId}`;
    super(
      `The response (status ${status}${id}) is not one of a bus: is baseUrl its URL, and not ` +
        'that of its portal?',
    );
    this.status = status;
  }
}

type Members = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The response's JSON object; an empty one when it has none. */
export const bodyOf = ({ text }: Pick<FullResponse, 'text'>): Members => {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
};

export const textIn = (body: Members, name: string): string => {
  const value = body[name];
  return typeof value === 'string' ? value : '';
};

const objectsIn = (body: Members, name: string): readonly Members[] => {
  const value = body[name];
  if (Array.isArray(value)) return value.filter(isObject);
  return [];
};

const violationOf = (members: Members): Violation => ({
  source: textIn(members, 'source'),
  rule: textIn(members, 'rule'),
  message: textIn(members, 'message'),
  ...(typeof members['path'] === 'string' && { path: members['path'] }),
});

/** The reasons of a refusal; none when the response is something else. */
export const violationsIn = (response: Pick<FullResponse, 'text'>): readonly Violation[] =>
  objectsIn(bodyOf(response), 'violations').map(violationOf);

const named = ({ requestId }: FullResponse) => (requestId === undefined ? {} : { requestId });

/** @throws UnexpectedResponse when it is no refusal of a bus */
export const refusalIn = (response: FullResponse): Refused => {
  const [first, ...more] = violationsIn(response);
  if (first === undefined) throw new UnexpectedResponse(response);
  const { status, retryAfterSeconds } = response;
  return {
    outcome: 'refused',
    status,
    violations: [first, ...more],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...named(response),
  };
};

/**
 * The response of the token route to a client that gets no token.
 *
 * @throws UnexpectedResponse when it is something else
 */
export const tokenRefusalIn = (response: FullResponse): TokenRefused => {
  const body = bodyOf(response);
  const [violation] = violationsIn(response);
  const error = violation?.rule ?? textIn(body, 'error');
  if (error === '') throw new UnexpectedResponse(response);
  const description = violation?.message ?? textIn(body, 'error_description');
  return {
    outcome: 'token_refused',
    status: response.status,
    error,
    description,
    ...named(response),
  };
};

/** @throws UnexpectedResponse when the response is not one of a bus */
export const dryRunVerdictIn = (response: FullResponse): DryRunVerdict => {
  const body = bodyOf(response);
  if (body['accepted'] !== true) return refusalIn(response);
  const messageId = textIn(body, 'message_id');
  if (body['duplicate'] === true) return { outcome: 'duplicate', messageId };
  return {
    outcome: 'accepted',
    messageId,
    messageType: textIn(body, 'message_type'),
    family: typeof body['family'] === 'string' ? body['family'] : null,
    tolerated: objectsIn(body, 'tolerated').map(violationOf),
    dryRun: body['dry_run'] === true,
  };
};

/** Refusals that come before the bus looks at the message. */
const saysNothingOfTheMessage: ReadonlySet<number> = new Set([401, 403, 429, 503]);

/** @throws UnexpectedResponse when the response is not one of a bus */
export const verdictIn = (response: FullResponse): Verdict => {
  const verdict = dryRunVerdictIn(response);
  const isUncertain = response.mayBeDone && saysNothingOfTheMessage.has(response.status);
  if (verdict.outcome === 'refused' && isUncertain) return { ...verdict, outcome: 'uncertain' };
  return verdict;
};
