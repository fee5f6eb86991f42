import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** One table, and the client that reaches it. */
export interface Table {
  readonly client: DynamoDBClient;
  readonly name: string;
}

/** Whether a fault is the named exception of an AWS service. */
export const isFault = (fault: unknown, ...names: readonly string[]): boolean =>
  fault instanceof Error && names.includes(fault.name);
