import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { InProcessService, SendCommand } from '../aws/clients.ts';
import { AwsError } from '../engines/aws-json/input.ts';
import type { Operations } from '../engines/aws-json/server.ts';
import { isJsonObject } from '../json/value.ts';
import type { Engines } from './engines.ts';

/** The code that the older query protocol has for an error, without its namespace, is what SDKs name it if they do not know it. */
const nameOf = ({ name, shape }: AwsError): string =>
  shape.type.startsWith('com.amazon.coral') ? (shape.queryCode ?? name) : name;

const exceptionOf = (error: AwsError): Error => {
  const { message, shape } = error;
  const facts = { ...error.members, message, $metadata: { httpStatusCode: shape.status } };
  const name = nameOf(error);
  if (name === 'TransactionCanceledException') return new TransactionCanceledException(facts);
  if (name === 'ConditionalCheckFailedException') return new ConditionalCheckFailedException(facts);
  return Object.assign(new Error(message), { ...facts, name });
};

/** The operation of a command: its schema is `[kind, namespace, name, ...]` (@smithy/types, StaticOperationSchema). */
const operationName = ({ schema }: { readonly schema?: unknown }): string =>
  Array.isArray(schema) ? String(schema[2]) : '';

/**
 * Runs SDK commands on an engine of this process. The engine copies what it is given and what it gives.
 *
 * @param endpoint where the engine also listens: queue URLs begin with it
 */
export const sendInProcess = (operations: Operations, endpoint: string): SendCommand =>
  async function send(command, { abortSignal } = {}) {
    const name = operationName(command);
    const operation = operations.get(name);
    const { input }: { readonly input?: unknown } = command;
    if (operation === undefined || !isJsonObject(input))
      throw new Error(`The local engine does not serve ${name}.`);
    try {
      return await operation(input, {
        endpoint,
        // Only long polls ask for it. Each call has its own, so that nobody's listeners pile up.
        get gone() {
          return abortSignal ?? new AbortController().signal;
        },
      });
    } catch (error) {
      throw error instanceof AwsError ? exceptionOf(error) : error;
    }
  };

export const sendsInProcess = ({
  operations,
  endpoints,
}: Pick<Engines, 'operations' | 'endpoints'>): Readonly<Record<InProcessService, SendCommand>> => ({
  DYNAMODB: sendInProcess(operations.dynamodb, endpoints.dynamodb),
  SQS: sendInProcess(operations.sqs, endpoints.sqs),
  KMS: sendInProcess(operations.kms, endpoints.kms),
});
