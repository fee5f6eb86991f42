import { personKey } from '../access/people/members.ts';
import { type Change, commandLineOfOperator } from '../access/people/noting.ts';
import { type AlertKind, alertKinds } from '../contract/portal/alerts.ts';
import { type ChangeName, isChangeName } from '../contract/portal/changes.ts';
import type { PortalPorts } from './ports.ts';
import { appNames } from './standing.ts';

/** What people call things, by their ids. */
type Names = ReadonlyMap<string, string>;

type Told = Pick<Change, 'what' | 'facts'>;

/** One change: its facts, with names for ids. */
interface Facts {
  /** A fact as it was recorded; empty if it was not. */
  fact(name: string): string;
  /** What people call the thing that a fact names. */
  name(name: string): string;
}

const listed = (text: string): string => text.split(' ').filter(Boolean).join(', ') || 'nothing';

const permissionWords = {
  grants: (list: string) => `to send ${listed(list)}`,
  system_ids: (list: string) => `to send as ${listed(list)}`,
  receives: (list: string) => `to receive ${listed(list)}`,
  sources: (list: string) => `to receive from ${list === '' ? 'every system' : listed(list)}`,
} as const;

/** `allowed fennel-mam to send link.*`; of records without the lists, which of them changed. */
const permitted = ({ fact, name }: Facts, facts: Change['facts']): string => {
  const connection = name('connection');
  const told = Object.entries(permissionWords).flatMap(([list, words]) =>
    Object.hasOwn(facts, list) ? [words(fact(list))] : [],
  );
  if (told.length > 0) return `allowed ${connection} ${told.join(' and ')}`;
  return `changed what ${connection} may send or receive (${listed(fact('changed'))})`;
};

const alertTitle = (kind: string): string =>
  Object.hasOwn(alertKinds, kind) ? alertKinds[kind as AlertKind].title : kind;

const alertWords = ({ fact }: Facts): string =>
  `the alert “${alertTitle(fact('kind'))}” to ${fact('to') === 'email' ? 'an e-mail address' : fact('to')}`;

const rangeWords = ({ fact }: Facts): string => {
  if (fact('message') !== '') return `the message ${fact('message')}`;
  return `messages from ${fact('from')} to ${fact('to')}`;
};

const secretWords: Readonly<Record<string, string>> = {
  current: 'the secret',
  previous: 'the old secret',
  all: 'all secrets',
};

/** What each change says after the name of who made it. */
const sentences: Readonly<Record<ChangeName, (of: Facts, facts: Change['facts']) => string>> = {
  'organisation.add': () => 'created the organisation',
  'organisation.request': () => 'asked for the organisation',
  'organisation.approve': () => 'approved the organisation',
  'organisation.decline': () => 'declined the organisation',
  'organisation.suspend': () => 'suspended the organisation',
  'organisation.resume': () => 'resumed the organisation',
  'organisation.close': () => 'closed the organisation',
  'organisation.revoke': () => 'closed the organisation',
  'organisation.quota': ({ fact }) => `set the quota of all connections to ${fact('quota')}`,
  'organisation.limit': ({ fact }) => `raised the limit of ${fact('limit')} to ${fact('max')}`,
  'workspace.add': ({ name }) => `created the workspace ${name('workspace')}`,
  'workspace.revoke': ({ name }) => `ended the workspace ${name('workspace')}`,
  'app.add': ({ name }) => `created the app ${name('app')}`,
  'app.revoke': ({ name }) => `ended the app ${name('app')}`,
  'refused.keep': ({ fact }) =>
    fact('keep') === 'true'
      ? 'switched on that refused messages are kept'
      : 'switched off that refused messages are kept',
  'member.add': ({ name, fact }) => `added ${name('member')} as ${fact('role')}`,
  'member.role': ({ name, fact }) => `made ${name('member')} ${fact('role')}`,
  'member.remove': ({ name }) => `removed ${name('member')}`,
  'member.move': ({ name }) => `gave the places of ${name('from')} to ${name('to')}`,
  'member.invite': ({ fact }) => `invited a person as ${fact('role')}`,
  'vendor.invite': ({ name }) => `invited a vendor into ${name('workspace')}`,
  'vendor.end': ({ name, fact }) =>
    `ended the place of ${name('vendor')} in ${name('workspace')} (connections revoked: ${fact('revoked')})`,
  'invitation.accept': () => 'accepted an invitation',
  'invitation.withdraw': () => 'withdrew an invitation',
  'connection.make': ({ name, fact }) =>
    `created the ${fact('kind') || 'connection'} ${name('connection')}`,
  'connection.permit': permitted,
  'connection.pause': ({ name }) => `paused ${name('connection')}`,
  'connection.resume': ({ name }) => `resumed ${name('connection')}`,
  'connection.revoke': ({ name }) => `revoked ${name('connection')}`,
  'connection.quota': ({ name, fact }) =>
    `set the quota of ${name('connection')} to ${fact('quota')}`,
  'connection.recover': ({ name }) => `made the queue of ${name('connection')} anew`,
  'secret.rotate': ({ name }) => `rotated the secret of ${name('connection')}`,
  'secret.end': ({ name, fact }) =>
    `ended ${secretWords[fact('which')] ?? 'a secret'} of ${name('connection')}`,
  'role.register': ({ name, fact }) =>
    `registered the role ${fact('role')} for ${name('connection')}`,
  'role.end': ({ name, fact }) => `removed the role ${fact('role')} of ${name('connection')}`,
  'client.bind': ({ name, fact }) => `bound the client ${fact('client')} to ${name('connection')}`,
  'client.unbind': ({ name, fact }) =>
    `unbound the client ${fact('client')} from ${name('connection')}`,
  'issuer.add': ({ fact }) => `added the identity provider ${fact('issuer')}`,
  'issuer.remove': ({ fact }) => `removed the identity provider ${fact('issuer')}`,
  'skill.register': ({ name, fact }) => `registered ${fact('instances')} at ${name('connection')}`,
  'skill.replace': ({ name, fact }) => `replaced ${fact('instances')} at ${name('connection')}`,
  'skill.pause': ({ name, fact }) => `paused ${fact('instances')} at ${name('connection')}`,
  'skill.resume': ({ name, fact }) => `resumed ${fact('instances')} at ${name('connection')}`,
  'skill.end': ({ name, fact }) => `ended ${fact('instances')} at ${name('connection')}`,
  'check.start': ({ name }) => `started a test run of ${name('connection')}`,
  'check.stop': ({ name }) => `stopped a test run of ${name('connection')}`,
  'message.publish': ({ name, fact }) =>
    `published the message ${fact('message')} as ${name('connection')}`,
  'message.skip': ({ name, fact }) =>
    `skipped the message ${fact('message')} for ${name('connection')}`,
  'queue.repair': ({ name }) => `repaired the queue of ${name('connection')}`,
  'replay.start': of => `replayed ${rangeWords(of)} to ${of.name('connection')}`,
  'replay.cancel': ({ name }) => `cancelled a replay to ${name('connection')}`,
  'alert.make': of => `created ${alertWords(of)}`,
  'alert.change': of => `changed ${alertWords(of)}`,
  'alert.delete': of => `deleted ${alertWords(of)}`,
  'story.reset': ({ fact }) => `started the story ${fact('story')} over`,
};

/** A change in words, without who made it: `allowed fennel-mam to send link.*`. */
export const changeWords = ({ what, facts }: Told, names: Names): string => {
  const fact = (name: string) => facts[name] ?? '';
  const nameOf = (name: string) => names.get(fact(name)) ?? fact(name);
  // An older bus may have recorded what this one does not know.
  return isChangeName(what) ? sentences[what]({ fact, name: nameOf }, facts) : what;
};

/** Who made a change: whoever uses the operator's command line has no account here. */
export const madeBy = ({ by }: Pick<Change, 'by'>): string => by?.name ?? commandLineOfOperator;

/** Workspaces whose connections are read for the names on one page of changes. */
const maxWorkspaces = 5;

const factsNamed = (changes: readonly Told[], ...names: readonly string[]): readonly string[] => [
  ...new Set(changes.flatMap(({ facts }) => names.flatMap(name => facts[name] ?? []))),
];

type NamePorts = Pick<PortalPorts, 'connections' | 'directory' | 'members'>;

/** The names of what some changes of an organisation are about. */
export const namesIn = async (
  { connections, directory, members }: NamePorts,
  organisation: string,
  changes: readonly Told[],
): Promise<Names> => {
  const workspaces = factsNamed(changes, 'workspace').slice(0, maxWorkspaces);
  const wanted = new Set(factsNamed(changes, 'connection'));
  const isAboutMembers = factsNamed(changes, 'member', 'from', 'to').length > 0;
  const read = {
    connections: Promise.all(
      wanted.size === 0 ? [] : workspaces.map(w => connections.ofWorkspace(w)),
    ),
    workspaces: Promise.all(workspaces.map(w => directory.find('workspace', w))),
    vendors: Promise.all(
      factsNamed(changes, 'vendor').map(id => directory.find('organisation', id)),
    ),
    members: isAboutMembers ? members.ofOrganisation(organisation) : [],
  };
  const known = (await read.connections).flat().filter(({ id }) => wanted.has(id));
  const apps = await appNames({ directory }, known);
  const parties = [...(await read.workspaces), ...(await read.vendors)];
  return new Map([
    ...known.map(({ id, app }) => [id, apps.get(app) ?? id] as const),
    ...parties.flatMap(party => (party ? [[party.id, party.name] as const] : [])),
    ...(await read.members).map(one => [personKey(one), one.name] as const),
  ]);
};
