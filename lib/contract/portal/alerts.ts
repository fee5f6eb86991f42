import type { NotRecorded } from './work-responses.ts';

/**
 * What an alert compares: `unit` of its threshold, which is absent where there is nothing to
 * compare.
 */
type AlertRow = Readonly<Record<'min' | 'max' | 'default', number>> & {
  title: string;
  unit?: string;
};

export const alertKinds = {
  message_waits: {
    title: 'A message waits longer than',
    unit: 'minutes',
    min: 1,
    max: 7 * 24 * 60,
    default: 10,
  },
  refusals: {
    title: 'A producer is refused more than',
    unit: 'times within an hour',
    min: 0,
    max: 100_000,
    default: 10,
  },
  secret_ends: {
    title: 'A replaced secret ends within',
    unit: 'hours',
    min: 1,
    max: 30 * 24,
    default: 48,
  },
  test_run_ended: { title: 'A test run has ended', min: 0, max: 0, default: 0 },
} as const satisfies Record<string, AlertRow>;

export type AlertKind = keyof typeof alertKinds;

export const alertKindNames = Object.keys(alertKinds) as readonly AlertKind[];

export const alertInWords = ({
  kind,
  threshold,
}: {
  kind: AlertKind;
  threshold: number;
}): string => {
  const row = alertKinds[kind];
  if (!('unit' in row)) return row.title;
  // `minute`, `hour`, `time within an hour`
  const unit = threshold === 1 ? row.unit.replace('s', '') : row.unit;
  return `${row.title} ${threshold} ${unit}`;
};

export const alertLimits = {
  /** After each attempt that failed; after the last one, the event is dropped. */
  retryMinutes: [1, 5, 30, 120, 300],
  pendingDeliveries: 10,
  namedConnections: 20,
  postMilliseconds: 5_000,
  /** Of one alert: a level that goes up and down all day must not fill a mailbox. */
  mailsPerDay: 50,
  testSeconds: 10,
  width: 50,
  runs: 20,
} as const;

export interface AlertEvent {
  readonly type: 'alert.raised' | 'alert.ended' | 'alert.test' | 'test_run.ended';
  /** RFC 3339. */
  readonly timestamp: string;
  readonly data: {
    readonly alert_id: string;
    readonly workspace_id: string;
    readonly kind: AlertKind;
    readonly threshold?: number;
    /** Those that it is about, at most 20. `value`: what was compared with the threshold. */
    readonly connections?: readonly {
      readonly connection_id: string;
      readonly app_name: string;
      readonly value?: number;
    }[];
    readonly run_id?: string;
    readonly status?: string;
  };
}

export interface AlertResponse {
  readonly alert_id: string;
  readonly organisation_id: string;
  readonly kind: AlertKind;
  readonly threshold: number;
  /** Absent: every connection that the organisation sees. */
  readonly connection_id?: string;
  readonly by: 'webhook' | 'email';
  /** The host of the webhook, or the e-mail address. */
  readonly to: string;
  /** Of a webhook, and for owners only: it may name a secret of its host. */
  readonly url?: string;
  readonly created_at: string;
  readonly raised: readonly string[];
  readonly pending: number;
  /** The last attempt; `problem` is absent if it was delivered. */
  readonly last?: { readonly at: string; readonly problem?: string };
}

export interface AlertResponses {
  'alert.list': {
    readonly alerts: readonly AlertResponse[];
    readonly makers: readonly { readonly organisation_id: string; readonly name: string }[];
    /**
     * The person's address. Absent if the bus sends no e-mail, or the identity provider has
     * verified none.
     */
    readonly email?: string;
    readonly next?: string;
  };
  /** The secret of a webhook is shown once. */
  'alert.make': AlertResponse & { readonly secret?: string } & NotRecorded;
  'alert.change': AlertResponse & NotRecorded;
  'alert.test': AlertResponse;
  'alert.delete': AlertResponse & NotRecorded;
}
