import { AwsError, objectOnWire } from '../../../../../lib/local/engines/aws-json/input.ts';
import { canonicalNumber } from '../../../../../lib/local/engines/dynamodb/numbers.ts';
import type { DynamoDbOperation } from '../../../../../lib/local/engines/dynamodb/operations.ts';
import { isJsonObject, type JsonObject, textOf } from '../../../../../lib/platform/json/value.ts';
import type { Call } from './histories.ts';

/**
 * What an engine answered: a result, or an error with its members. Engines have words of their own
 * for one refusal.
 */
export interface Response {
  readonly error?: string;
  readonly message?: string;
  readonly body: JsonObject;
}

export const same = (a: Response, b: Response): boolean =>
  a.error === b.error && JSON.stringify(a.body) === JSON.stringify(b.body);

/** An engine that histories run on. */
export interface TestedEngine {
  response(call: Call): Promise<Response>;
}

const shortName = (type: string): string => type.slice(type.indexOf('#') + 1);

/** A write of a transaction that cannot be done refuses the request, as in our engine. */
const isRefusal = (reasons: unknown): boolean =>
  Array.isArray(reasons) &&
  reasons.some(({ Code }) => Code === 'ValidationError') &&
  !reasons.some(({ Code }) => Code === 'ConditionalCheckFailed');

const responseOf = (parsed: unknown): Response => {
  const body = isJsonObject(parsed) ? parsed : {};
  const { __type, message, Message, ...rest } = body;
  if (typeof __type !== 'string') return { body: normalized(body) };
  const said = textOf(body, 'message') || textOf(body, 'Message');
  if (isRefusal(rest['CancellationReasons']))
    return { error: 'ValidationException', message: said, body: {} };
  return { error: shortName(__type), message: said, body: normalized(rest) };
};

const wire = (object: JsonObject): Response =>
  responseOf(JSON.parse(JSON.stringify(objectOnWire(object))));

/** Our engine, in this process: its responses as they are on the wire. */
export const inProcess = (operations: ReadonlyMap<string, DynamoDbOperation>): TestedEngine => ({
  async response({ operation, input }) {
    const run = operations.get(operation);
    if (run === undefined) throw new Error(`The engine has no ${operation}.`);
    try {
      return wire(run(input));
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const { shape, message, members } = error;
      return wire({ ...members, __type: shape.type, message });
    }
  },
});

const credential = 'local/20260101/us-east-1/dynamodb/aws4_request';

/** An engine behind the wire. No SDK: it would refuse some of the calls itself. */
export const onLoopback = (endpoint: string): TestedEngine => ({
  async response({ operation, input }) {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        'x-amz-date': '20260101T000000Z',
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
      },
      body: JSON.stringify(input),
    });
    return responseOf(await response.json());
  },
});

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

const setTypes: readonly string[] = ['SS', 'NS'];

/** DynamoDB Local writes numbers inside lists and maps with an exponent. */
const normalizedValue = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) {
    const members = value.map(member => normalizedValue(member, name === 'NS' ? 'N' : ''));
    return setTypes.includes(name) ? members.sort(byText) : members;
  }
  if (name === 'N' && typeof value === 'string') return canonicalNumber(value);
  return isJsonObject(value) ? normalized(value) : value;
};

/**
 * Members in one order: names of a map, and members of a set. A reason's message may end with a
 * full stop.
 */
const normalized = ({ Message: _, ...object }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.keys(object)
      .sort()
      .map(name => [name, normalizedValue(object[name], name)]),
  );

const sorted = (list: unknown): unknown => (Array.isArray(list) ? [...list].sort(byText) : list);

/**
 * Items whose order DynamoDB does not define, in one order: those of a scan, of a batch, and of an
 * index's equal keys. DynamoDB Local returns the units of a DeleteItem that did not ask for them.
 */
export const comparable = ({ operation, input }: Call, response: Response): Response => {
  const { ConsumedCapacity: _, ...withoutUnits } = response.body;
  if (operation === 'DeleteItem' && !('ReturnConsumedCapacity' in input))
    return { ...response, body: withoutUnits };
  if (operation === 'Scan')
    return { ...response, body: { ...response.body, Items: sorted(response.body['Items']) } };
  if (operation === 'BatchGetItem') {
    const responses = Object.entries(Object(response.body['Responses']));
    const Responses = Object.fromEntries(responses.map(([table, items]) => [table, sorted(items)]));
    return { ...response, body: { ...response.body, Responses } };
  }
  return operation === 'Query' && 'IndexName' in input ? comparableQuery(response) : response;
};

/** Of a page of an index its end is only defined up to equal keys. */
const comparableQuery = ({ body, ...rest }: Response): Response => {
  const { LastEvaluatedKey, ...page } = body;
  const more = LastEvaluatedKey === undefined ? {} : { hasMore: true };
  return { ...rest, body: { ...page, Items: sorted(body['Items']), ...more } };
};
