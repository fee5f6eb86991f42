import assert from 'node:assert/strict';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { environment, region } from './tools.ts';

/** Runs a function of the environment, as its schedule does. @throws Error if it ended with one */
export const invoke = async (name: string, event: object = {}): Promise<void> => {
  const FunctionName = `sombus-${environment}-${name}`;
  const client = new LambdaClient({ region });
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) }),
  );
  assert.equal(FunctionError, undefined, Buffer.from(Payload ?? '').toString('utf8'));
};
