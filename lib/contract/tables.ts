export interface KeyDefinition {
  readonly partition: string;
  readonly sort: string;
  readonly sortType: 'S' | 'N';
}

interface IndexDefinition extends KeyDefinition {
  /** What an index copies of its items: only what is read from it, because bodies are large. */
  readonly projection: 'ALL' | 'KEYS_ONLY';
}

/**
 * A DynamoDB table: its key, its indexes, and the attribute whose time (epoch seconds) ends an
 * item.
 */
export interface TableDefinition {
  readonly key: KeyDefinition;
  readonly indexes: Readonly<Record<string, IndexDefinition>>;
  readonly expiry: string;
}

const key: KeyDefinition = { partition: 'pk', sort: 'sk', sortType: 'S' };

export const tables = {
  registry: {
    key,
    indexes: { children: { partition: 'parent', sort: 'pk', sortType: 'S', projection: 'ALL' } },
    expiry: 'expires_at',
  },
  /**
   * Accepted messages, in order. `pending` lists unfinished work: logs with unsent entries, and
   * running replays.
   */
  ledger: {
    key,
    indexes: {
      pending: {
        partition: 'pending_work',
        sort: 'due_at',
        sortType: 'N',
        projection: 'KEYS_ONLY',
      },
      archive: {
        partition: 'archive_day',
        sort: 'archive_position',
        sortType: 'S',
        projection: 'KEYS_ONLY',
      },
    },
    expiry: 'expires_at',
  },
  /**
   * What happened to messages and connections. `in_flight` lists what a consumer cannot receive
   * now, and what it acknowledged.
   */
  activity: {
    key,
    indexes: {
      in_flight: {
        partition: 'in_flight_of',
        sort: 'visible_at',
        sortType: 'N',
        projection: 'ALL',
      },
    },
    expiry: 'expires_at',
  },
  sessions: { key, indexes: {}, expiry: 'expires_at' },
} as const satisfies Record<string, TableDefinition>;

export type TableName = keyof typeof tables;

export type IndexName = { [T in TableName]: keyof (typeof tables)[T]['indexes'] }[TableName];

export const tableNames: readonly TableName[] = ['registry', 'ledger', 'activity', 'sessions'];
