import type { Identity } from '../../access/people/members.ts';
import { changed, type Declined, declined } from '../../access/registry/declined.ts';
import { problemWithChosenUrl } from '../../access/trust/public-addresses.ts';
import { guestIn, type Slot } from '../../contract/bounds.ts';
import { newId } from '../../contract/identifiers.ts';
import { type Clock, defined, type Ids, timestamp, utcDay } from '../../contract/outside.ts';
import {
  type AlertEvent,
  type AlertKind,
  alertKinds,
  alertLimits,
} from '../../contract/portal/alerts.ts';
import { newWebhookSecret } from './webhook.ts';

/** An event that has not been delivered yet. */
export interface AlertDelivery {
  /** The same at every attempt. */
  readonly id: string;
  readonly event: AlertEvent;
  readonly attempts: number;
  /** Epoch milliseconds: when it is tried next. */
  readonly dueAt: number;
}

/** What is remembered of an alert from one look to the next. */
export interface AlertState {
  /** The connections that it was raised for. */
  readonly raised: readonly string[];
  /** The test runs that it has told of. */
  readonly runs: readonly string[];
  /** In the order of their events: the first one has to leave before the next is tried. */
  readonly deliveries: readonly AlertDelivery[];
  /** Of the last attempt; `problem` is absent if it was delivered. Epoch milliseconds. */
  readonly last?: { readonly at: number; readonly problem?: string };
  readonly testedAt?: number;
  /** E-mails of the last day with any. `day`: YYYY-MM-DD, UTC. */
  readonly mailed?: { readonly day: string; readonly count: number };
}

/** `secret`, `whsec_…`, has to be readable, since the bus signs with it. */
export interface Webhook {
  readonly url: string;
  readonly secret: string;
}

/**
 * An address that the identity provider has verified; `page` is the URL of the portal's page of
 * alerts.
 */
export interface Mailbox {
  readonly email: string;
  readonly person: Identity;
  readonly page: string;
}

export interface Alert {
  readonly id: string;
  readonly organisation: string;
  readonly workspace: string;
  readonly kind: AlertKind;
  readonly threshold: number;
  /** Absent: every connection that the organisation sees there. */
  readonly connection?: string;
  readonly to: Webhook | Mailbox;
  readonly createdAt: string;
  readonly state: AlertState;
  /** Changes with every write. */
  readonly revision: number;
}

/** Which alert of whom. */
export type AlertName = Pick<Alert, 'organisation' | 'workspace' | 'id'>;

/** The alerts of all organisations. Reads are fresh. */
export interface Alerts {
  all(): Promise<readonly Alert[]>;
  of(organisation: string, workspace: string): Promise<readonly Alert[]>;
  find(name: AlertName): Promise<Alert | undefined>;
  /** Adds nothing if there are too many. */
  add(alert: Alert, slots: readonly Slot[]): Promise<Declined | undefined>;
  /**
   * Writes what can change if the revision is still the same, and returns it with the next one;
   * undefined otherwise.
   */
  save(alert: Alert): Promise<Alert | undefined>;
  /** False if it was gone. */
  remove(name: AlertName): Promise<boolean>;
}

/** What a person may choose of an alert. */
export interface AlertChoice extends Pick<Alert, 'threshold'> {
  readonly to: Pick<Webhook, 'url'> | Mailbox;
  /** Allows http and hosts of this machine's network, which only the local service may. */
  readonly insecureLocal: boolean;
}

const longestUrl = 512;

/** What is wrong with a choice, as a sentence; undefined if nothing is. */
const problemWith = (
  kind: AlertKind,
  { threshold, to, insecureLocal }: AlertChoice,
): string | undefined => {
  const { min, max } = alertKinds[kind];
  if (!Number.isInteger(threshold) || threshold < min || threshold > max)
    return `The threshold of this alert is a whole number from ${min} to ${max}.`;
  if ('email' in to) return undefined;
  const { url } = to;
  if (url.length > longestUrl) return `The URL of a webhook has at most ${longestUrl} characters.`;
  return problemWithChosenUrl('The webhook', url, insecureLocal);
};

const slotsOf = ({ organisation, workspace }: AlertName, isGuest: boolean): readonly Slot[] => {
  const slots: Slot[] = [{ bound: 'alerts', scope: 'organisation', of: organisation }];
  const guest = guestIn(workspace, organisation);
  if (isGuest) slots.unshift({ bound: 'alerts', scope: 'guest', of: guest });
  return slots;
};

interface MakeAlertPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly alerts: Pick<Alerts, 'add'>;
}

/** Makes an alert, and the secret that signs what a webhook is sent. */
export const makeAlert = async (
  ports: MakeAlertPorts,
  wanted: Pick<Alert, 'organisation' | 'workspace' | 'kind' | 'connection'> & {
    isGuest: boolean;
  },
  choice: AlertChoice,
): Promise<Alert | Declined> => {
  const problem = problemWith(wanted.kind, choice);
  if (problem) return declined(problem);
  const { organisation, workspace, kind, connection, isGuest } = wanted;
  const alert: Alert = {
    id: newId(ports, 'l'),
    organisation,
    workspace,
    kind,
    ...defined({ connection }),
    threshold: choice.threshold,
    to: 'email' in choice.to ? choice.to : { ...choice.to, secret: newWebhookSecret(ports.ids) },
    createdAt: timestamp(ports),
    state: { raised: [], runs: [], deliveries: [] },
    revision: 1,
  };
  const full = await ports.alerts.add(alert, slotsOf(alert, isGuest));
  return full ?? alert;
};

/** Somebody else, or the bus, wrote to it in the meantime. */
export const alertChanged = changed('This alert has just changed: try again.');

/**
 * Changes the threshold, and the URL of a webhook; its secret stays, and so does an e-mail address.
 */
export const changeAlert = async (
  { alerts }: { alerts: Pick<Alerts, 'save'> },
  alert: Alert,
  choice: AlertChoice,
): Promise<Alert | Declined> => {
  const to = 'email' in alert.to ? alert.to : { ...alert.to, ...choice.to };
  const problem = problemWith(alert.kind, { ...choice, to });
  if (problem) return declined(problem);
  return (await alerts.save({ ...alert, threshold: choice.threshold, to })) ?? alertChanged;
};

/**
 * The state of an alert that tells one more event; undefined if its address has got all the e-mails
 * of a day.
 */
export const stateToTell = ({ to, state }: Alert, now: number): AlertState | undefined => {
  if (!('email' in to)) return state;
  const day = utcDay(now);
  const count = state.mailed?.day === day ? state.mailed.count : 0;
  if (count >= alertLimits.mailsPerDay) return undefined;
  return { ...state, mailed: { day, count: count + 1 } };
};
