import { type Quota, tiers } from '../../contract/limits.ts';
import type { Connection } from './connection.ts';

/** What a connection may use: its own quota where the operator set one, else its tier's. */
export const quotaOf = ({ quota, tier }: Pick<Connection, 'quota' | 'tier'>): Quota => quota ?? tiers[tier];
