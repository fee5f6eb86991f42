import type { Stack } from 'aws-cdk-lib';
import { envVars } from '../contract/environments.ts';
import type { PortAccess } from '../contract/functions.ts';
import type { Grantable } from './service-function.ts';
import type { MailAddress } from './settings.ts';
import type { ServedTable, SigningKey } from './stateful-stack.ts';

/** What outlives deployments. */
export interface State {
  readonly registry: ServedTable;
  readonly ledger: ServedTable;
  readonly activity: ServedTable;
  readonly sessions: ServedTable;
  readonly signingKey: SigningKey;
  /** Absent: the bus sends no e-mail. */
  readonly mailFrom?: MailAddress;
}

export type PortGrants = Readonly<Record<PortAccess, Grantable>>;

export const both = (...grants: readonly Grantable[]): Grantable => ({
  grantTo: target => {
    for (const grant of grants) grant.grantTo(target);
  },
});

/** Takes part in counts of things, of which there may be only so many (`lib/aws/bounded.ts`). */
export const counting = (table: ServedTable, name = ''): Grantable =>
  table.items({ actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'], keys: [`BOUND#${name}*`] });

type PortalAccess = Extract<
  PortAccess,
  | 'sessions'
  | 'members'
  | 'directory'
  | 'bounds'
  | 'invitations'
  | 'identityProviders'
  | `connections.${'find' | 'manage'}`
  | 'principals.manage'
>;

/**
 * What people see and change in the portal. One function serves all of its calls, so these name items, not attributes: who may
 * call what is decided by the table of calls (`lib/contract/portal.ts`).
 */
export const portalGrants = ({ registry, ledger, sessions }: State): Pick<PortGrants, PortalAccess> => {
  const may = (keys: readonly string[], ...actions: readonly `dynamodb:${string}`[]) =>
    registry.items({ actions, keys });
  const [organisations, people, workspaces] = [['ORGANISATION#*'], ['PERSON#*'], ['WORKSPACE#*']];
  const [apps, connections, invitations] = [['APP#*'], ['CONNECTION#*'], ['INVITATION#*']];
  const memberships = [...organisations, ...people];
  const [read, put, update, remove] = [
    'dynamodb:Query',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
  ] as const;
  const children = registry.index('children');
  return {
    sessions: both(
      sessions.items({ actions: ['dynamodb:GetItem', put, update, remove], keys: ['SESSION#*'] }),
      counting(sessions),
    ),
    // What the other ports make is counted as well.
    bounds: both(counting(registry), counting(ledger)),
    members: both(
      may([...memberships, ...workspaces], read),
      may(memberships, put, remove, 'dynamodb:ConditionCheckItem'),
    ),
    directory: both(
      may([...organisations, ...workspaces, ...apps], 'dynamodb:GetItem', put, update),
      children,
    ),
    invitations: both(
      may([...invitations, ...workspaces], 'dynamodb:GetItem', put, remove),
      both(may(memberships, put, remove, 'dynamodb:ConditionCheckItem'), children),
    ),
    'connections.find': may(connections, read),
    'connections.manage': both(
      may([...connections, ...apps], read, 'dynamodb:GetItem', 'dynamodb:BatchGetItem', put, update),
      both(may(workspaces, 'dynamodb:GetItem', put, remove), children),
    ),
    'principals.manage': may(workspaces, read, put, remove),
    identityProviders: may(workspaces, read, 'dynamodb:GetItem', put, remove),
  };
};

/** Sends e-mails from one address of a domain (AWS: "Actions, resources, and condition keys for Amazon SES"). */
const sending = (stack: Stack, from: MailAddress | undefined): Grantable => ({
  grantTo: target => {
    if (!from) return;
    target.allow({
      actions: ['ses:SendEmail'],
      resources: [stack.formatArn({ service: 'ses', resource: 'identity', resourceName: from.domain })],
      conditions: { StringEquals: { 'ses:FromAddress': from.address } },
    });
    target.tell({ [envVars.mailFrom]: from.address });
  },
});

type AlertAccess = Extract<
  PortAccess,
  | 'mails'
  | 'members.affiliation'
  | `alerts.${string}`
  | 'directory.find'
  | 'invitations.guest'
  | `${'connections' | 'principals'}.list`
>;

/** Alerts, and what is looked at for them in the registry. */
export const alertGrants = (stack: Stack, { registry, mailFrom }: State): Pick<PortGrants, AlertAccess> => {
  const may = (keys: readonly string[], ...actions: readonly `dynamodb:${string}`[]) =>
    registry.items({ actions, keys });
  const alerts = ['ALERTS'];
  const change = [
    'dynamodb:Query',
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
  ] as const;
  return {
    'alerts.manage': both(may(alerts, ...change), may(alerts, 'dynamodb:PutItem')),
    'alerts.watch': both(may(alerts, ...change), counting(registry, 'alerts#')),
    mails: sending(stack, mailFrom),
    'members.affiliation': may(['PERSON#*'], 'dynamodb:Query'),
    'directory.find': may(['ORGANISATION#*', 'WORKSPACE#*', 'APP#*'], 'dynamodb:GetItem'),
    'invitations.guest': may(['WORKSPACE#*'], 'dynamodb:GetItem'),
    'connections.list': both(may(['CONNECTION#*'], 'dynamodb:BatchGetItem'), registry.index('children')),
    'principals.list': may(['WORKSPACE#*'], 'dynamodb:Query'),
  };
};
