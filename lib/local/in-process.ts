import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { InProcessService, SendCommand } from '../aws/in-process.ts';
import { AwsError } from '../engines/aws-json/input.ts';
import type { Call, Operations } from '../engines/aws-json/server.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import type { Engines } from './engines.ts';

/** What every SDK command has: its input, and the schema of its operation, whose third member is the operation's name. */
const read = (command: object): { readonly name: string; readonly input: JsonObject } => {
  const { schema, input }: { readonly schema?: unknown; readonly input?: unknown } = command;
  const name: unknown = Array.isArray(schema) ? schema[2] : undefined;
  if (typeof name !== 'string' || !isJsonObject(input))
    throw new Error('This is not a command of an AWS SDK.');
  return { name, input };
};

/** The code that the older query protocol has for an error, without its namespace, is what SDKs name it if they do not know it. */
const nameOf = ({ name, shape }: AwsError): string =>
  shape.type.startsWith('com.amazon.coral') ? (shape.queryCode ?? name) : name;

/** The exception that the SDK would throw for an engine's refusal. */
const exceptionOf = (fault: AwsError): Error => {
  const { message, shape } = fault;
  const $metadata = { httpStatusCode: shape.status };
  const facts = { ...fault.members, message, $metadata };
  const name = nameOf(fault);
  if (name === 'TransactionCanceledException') return new TransactionCanceledException(facts);
  if (name === 'ConditionalCheckFailedException') return new ConditionalCheckFailedException(facts);
  return Object.assign(new Error(message), { ...facts, name });
};

/** Only long polls ask for the signal. Each call has its own, so that nobody's listeners pile up. */
const callOf = (endpoint: string, abortSignal: AbortSignal | undefined): Call => ({
  endpoint,
  get gone() {
    return abortSignal ?? new AbortController().signal;
  },
});

/**
 * Runs SDK commands on an engine of this process. The engine copies what it is given and what it gives.
 *
 * @param endpoint where the engine also listens: queue URLs begin with it
 */
export const sendInProcess = (operations: Operations, endpoint: string): SendCommand =>
  async function send(command, { abortSignal } = {}) {
    const { name, input } = read(command);
    const operation = operations.get(name);
    if (operation === undefined) throw new Error(`The local engine does not serve ${name}.`);
    try {
      return await operation(input, callOf(endpoint, abortSignal));
    } catch (fault) {
      throw fault instanceof AwsError ? exceptionOf(fault) : fault;
    }
  };

/** How SDK clients reach engines of this process: those that run here, and not elsewhere. */
export const sendsInProcess = ({
  operations,
  endpoints,
}: Pick<Engines, 'operations' | 'endpoints'>): Partial<Readonly<Record<InProcessService, SendCommand>>> => {
  const { dynamodb, sqs, kms } = operations;
  return {
    ...(dynamodb && { DYNAMODB: sendInProcess(dynamodb, endpoints.dynamodb) }),
    ...(sqs && { SQS: sendInProcess(sqs, endpoints.sqs) }),
    ...(kms && { KMS: sendInProcess(kms, endpoints.kms) }),
  };
};
