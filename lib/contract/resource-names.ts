import type { EnvironmentName } from './environments.ts';
import type { Tier } from './limits.ts';
import type { TableName } from './tables.ts';

/** What the resources of an environment are called on AWS. The operator's commands find them by these names. */
export const resourceNames = (environment: EnvironmentName) =>
  ({
    stack: `sombus-${environment}`,
    /** Of the functions' roles: the policies of consumers' queues know the bus by it. */
    rolePath: `/sombus/${environment}/`,
    table: (table: TableName) => `sombus-${environment}-${table}`,
    signingKeyAlias: `alias/sombus-${environment}-signing`,
    api: (api: 'bus' | 'portal') => `sombus-${environment}-${api}`,
    usagePlan: (tier: Tier) => `sombus-${environment}-${tier}`,
    customUsagePlan: (perSecond: number, burst: number, perDay: number) =>
      `sombus-${environment}-custom-${perSecond}-${burst}-${perDay}`,
    firewall: (api: 'bus' | 'portal') => `sombus-${environment}-${api}`,
  }) as const;

/** Names the environment whose access tokens a key of KMS signs: functions may use the keys that carry it. */
export const signingKeyTag = 'sombus-signing';

/** The name of a consumer's FIFO queue, or of the queues of all whose ids fit a pattern. */
export const queueName = (connection: string): string => `sombus-${connection}.fifo`;

/**
 * The usage-plan key of a connection. It is no secret: API Gateway takes keys from the authoriser only, never from a
 * caller (AWS: "Choose an API key source").
 */
export const usageKeyOf = (connection: string): string => `sombus-connection-${connection}`;
