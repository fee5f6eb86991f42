import type { PortAccess } from '../contract/ports.ts';
import type { Grantable } from './service-function.ts';
import type { ServedTable, SigningKey } from './stateful-stack.ts';

/** What outlives deployments. */
export interface State {
  readonly registry: ServedTable;
  readonly ledger: ServedTable;
  readonly activity: ServedTable;
  readonly sessions: ServedTable;
  readonly signingKey: SigningKey;
}

export type PortGrants = Readonly<Record<PortAccess, Grantable>>;

export const both = (...grants: readonly Grantable[]): Grantable => ({
  grantTo: target => {
    for (const grant of grants) grant.grantTo(target);
  },
});

/** What a role verification writes. */
export const principalAttributes = [
  'pk',
  'sk',
  'status',
  'verified_at',
  'challenge_hash',
  'challenge_valid_until',
];

/** What a decision on an organisation writes or compares. */
const decisionAttributes = ['pk', 'sk', 'status', 'tier'];

/** What a suspension writes or compares. */
const suspensionAttributes = ['pk', 'sk', 'suspended_by'];

/** What a change of a connection writes or compares. */
const changeAttributes = [
  'pk',
  'sk',
  'status',
  'credential_version',
  'system_ids',
  'grants',
  'receives',
  'sources',
];

/** What a registered cloud role is stored as. */
const registrationAttributes = [
  ...principalAttributes,
  'id',
  'scope',
  'connection',
  'role_arn',
  'created_at',
];

/** What an issuer, or one of its clients, is stored as. */
const providerAttributes = [
  'pk',
  'sk',
  'scope',
  'issuer',
  'jwks_uri',
  'audience',
  'client_claim',
  'insecure_local',
  'client',
  'connection',
  'created_at',
];

/** What the secrets of a connection are stored as. */
const credentialAttributes = [
  'pk',
  'sk',
  'version',
  'current_hash',
  'current_issued_at',
  'current_used_at',
  'previous_hash',
  'previous_valid_until',
  'previous_used_at',
];

type PeopleAccess = Extract<PortAccess, `${'sessions' | 'members' | 'directory' | 'invitations'}.${string}`>;

/** What people may see and change of organisations and their members. */
const peopleGrants = ({ registry, sessions }: State): Pick<PortGrants, PeopleAccess> => {
  const may = (keys: readonly string[], ...actions: readonly `dynamodb:${string}`[]) =>
    registry.items({ actions, keys });
  const update = (keys: readonly string[], attributes: readonly string[]) =>
    registry.items({ actions: ['dynamodb:UpdateItem'], keys, attributes });
  const [organisations, people] = [['ORGANISATION#*'], ['PERSON#*']];
  const [workspaces, invitations] = [['WORKSPACE#*'], ['INVITATION#*']];
  const memberships = [...organisations, ...people];
  const session = (...actions: readonly `dynamodb:${string}`[]) =>
    sessions.items({ actions, keys: ['SESSION#*'] });
  return {
    'sessions.use': session('dynamodb:GetItem', 'dynamodb:UpdateItem'),
    'sessions.start': session('dynamodb:PutItem', 'dynamodb:DeleteItem'),
    'members.affiliation': may(people, 'dynamodb:Query'),
    'members.list': may(organisations, 'dynamodb:Query'),
    'members.vendors': may(workspaces, 'dynamodb:Query'),
    'members.add': may(memberships, 'dynamodb:PutItem'),
    'members.change': may(
      memberships,
      'dynamodb:PutItem',
      'dynamodb:DeleteItem',
      'dynamodb:ConditionCheckItem',
    ),
    'directory.find': may([...organisations, ...workspaces, 'APP#*'], 'dynamodb:GetItem'),
    'directory.list': registry.index('children'),
    'directory.apps': may(['APP#*'], 'dynamodb:GetItem', 'dynamodb:PutItem'),
    'directory.request': may([...memberships, ...workspaces], 'dynamodb:PutItem'),
    'directory.decide': update(organisations, decisionAttributes),
    'directory.close': update([...organisations, ...workspaces, 'APP#*'], ['pk', 'sk', 'status']),
    'directory.allot': update(organisations, ['pk', 'sk', 'tier', 'quota']),
    'invitations.make': both(may(invitations, 'dynamodb:PutItem'), registry.index('children')),
    'invitations.withdraw': both(may(invitations, 'dynamodb:DeleteItem'), registry.index('children')),
    'invitations.accept': both(
      may(invitations, 'dynamodb:GetItem', 'dynamodb:DeleteItem'),
      may([...memberships, ...workspaces], 'dynamodb:PutItem'),
      may(people, 'dynamodb:ConditionCheckItem'),
    ),
    'invitations.guest': may(workspaces, 'dynamodb:GetItem'),
    'invitations.end': may([...organisations, ...workspaces], 'dynamodb:DeleteItem'),
  };
};

type ConnectionAccess = Extract<
  PortAccess,
  `${'connections' | 'identityProviders'}.${string}` | `principals.${'list' | 'put'}`
>;

/** What people may see and change of connections, and of those who act for them. */
const connectionGrants = ({ registry }: State): Pick<PortGrants, ConnectionAccess> => {
  const may = (keys: readonly string[], ...actions: readonly `dynamodb:${string}`[]) =>
    registry.items({ actions, keys });
  const update = (keys: readonly string[], attributes: readonly string[]) =>
    registry.items({ actions: ['dynamodb:UpdateItem'], keys, attributes });
  const put = (keys: readonly string[], attributes: readonly string[]) =>
    registry.items({ actions: ['dynamodb:PutItem'], keys, attributes });
  const [connections, workspaces] = [['CONNECTION#*'], ['WORKSPACE#*']];
  /** A system_id, for an app. */
  const claim = put(workspaces, ['pk', 'sk', 'app']);
  return {
    'connections.list': registry.index('children'),
    'connections.ofApp': both(may(['APP#*'], 'dynamodb:Query'), may(['CONNECTION#*'], 'dynamodb:GetItem')),
    'connections.suspend': update(connections, suspensionAttributes),
    'connections.claims': may(workspaces, 'dynamodb:GetItem', 'dynamodb:DeleteItem'),
    'connections.allot': update(connections, ['pk', 'sk', 'tier', 'quota']),
    'connections.skip': update(connections, ['pk', 'sk', 'status', 'skips']),
    'connections.find': may(connections, 'dynamodb:Query'),
    'connections.credentials': may(connections, 'dynamodb:BatchGetItem'),
    'connections.add': both(may([...connections, 'APP#*'], 'dynamodb:PutItem'), claim),
    'connections.change': both(
      put(connections, credentialAttributes),
      update(connections, changeAttributes),
      claim,
    ),
    'principals.list': may(workspaces, 'dynamodb:Query'),
    'principals.put': put(workspaces, registrationAttributes),
    'identityProviders.list': may(workspaces, 'dynamodb:Query'),
    'identityProviders.change': both(
      put(workspaces, providerAttributes),
      may(workspaces, 'dynamodb:DeleteItem'),
    ),
  };
};

/** What people may see and change in the portal. */
export const portalGrants = (state: State): Pick<PortGrants, PeopleAccess | ConnectionAccess> => ({
  ...peopleGrants(state),
  ...connectionGrants(state),
});
