import { personKey } from '../access/people/members.ts';
import type { Change, ChangeName } from '../access/people/noting.ts';
import { alertKindNames, alertKinds } from '../contract/portal/alerts.ts';
import sentences from '../contract/portal/change-sentences.json';
import type { PortalPorts } from './ports.ts';
import { appNames } from './standing.ts';

/** What people call things, by their ids. */
type Names = ReadonlyMap<string, string>;

type Told = Pick<Change, 'what' | 'facts'>;

const listed = (text = ''): string => text.replaceAll(' ', ', ');

const permissions = [
  ['grants', 'to send', 'nothing'],
  ['systemIds', 'to send as', 'no system'],
  ['receives', 'to receive', 'nothing'],
  ['sources', 'to receive from', 'every system'],
] as const;

const permissionWords = (facts: Change['facts']): string => {
  const told = permissions.filter(([list]) => facts[list] !== undefined);
  return told.map(([list, words, none]) => `${words} ${listed(facts[list]) || none}`).join(' and ');
};

const alertWords = ({ kind = '', to = '' }: Change['facts']): string => {
  const known = alertKindNames.find(name => name === kind);
  const title = known === undefined ? kind : alertKinds[known].title;
  return `the alert “${title}” to ${to === 'email' ? 'an e-mail address' : to}`;
};

/** What a sentence says beside its facts. */
const computed: Readonly<Record<string, (facts: Change['facts']) => string>> = {
  permissions: permissionWords,
  alert: alertWords,
};

/** A change in words, without who made it: `allowed fennel-mam to send link.*`. */
export const changeWords = ({ what, facts }: Told, names: Names): string => {
  const sentence = sentences[what as ChangeName]; // what `noteChange` took
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
    const fact = facts[name] ?? '';
    return computed[name]?.(facts) ?? names.get(fact) ?? fact;
  });
};

/** Who made a change: whoever uses the operator's command line has no account here. */
export const madeBy = ({ by }: Pick<Change, 'by'>): string =>
  by?.name ?? 'the operator’s command line';

/** Workspaces whose connections are read for the names on one page of changes. */
const maxWorkspaces = 5;

/** The names of what some changes of an organisation are about. */
export const namesIn = async (
  { connections, directory, members }: PortalPorts,
  organisation: string,
  changes: readonly Told[],
): Promise<Names> => {
  const factsNamed = (...names: readonly string[]) => [
    ...new Set(changes.flatMap(({ facts }) => names.flatMap(name => facts[name] ?? []))),
  ];
  const wanted = factsNamed('connection');
  const workspaces = factsNamed('workspace').slice(0, maxWorkspaces);
  const vendors = factsNamed('vendor');
  const all = await Promise.all(workspaces.map(w => connections.ofWorkspace(w)));
  const known = all.flat().filter(({ id }) => wanted.includes(id));
  const apps = await appNames({ directory }, known);
  const parties = await Promise.all([
    ...workspaces.map(id => directory.find('workspace', id)),
    ...vendors.map(id => directory.find('organisation', id)),
  ]);
  const isAboutMembers = factsNamed('member', 'from').length > 0;
  const people = isAboutMembers ? await members.ofOrganisation(organisation) : [];
  return new Map([
    ...known.map(({ id, app }) => [id, apps.get(app) ?? id] as const),
    ...parties.flatMap(party => (party ? [[party.id, party.name] as const] : [])),
    ...people.map(one => [personKey(one), one.name] as const),
  ]);
};
