import type { Role } from '../../lib/contract/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { againAfter, callThrough, type Reply } from './call.ts';
import { cell, derived } from './cell.ts';
import { here } from './location.ts';
import { session } from './session.ts';

/** An organisation of the person's. */
export interface OwnOrganisation extends ResponseOf<'organisation.show'> {
  readonly role: Role;
}

/** The person's organisations; undefined until they are known. */
export const organisations = cell<readonly OwnOrganisation[] | undefined>(undefined);

type Membership = Extract<
  NonNullable<typeof session.value>,
  { readonly kind: 'ok' }
>['value']['organisations'][number];

/** The responses that a question of all organisations has so far, by organisation. */
type Responses = Map<string, Reply<ResponseOf<'organisation.show'>>>;

/** Of the questions, only the last one counts. */
let questions = 0;

/** Asks for what has no response yet; those whom the service has no time for now are asked again after its pause. */
const ask = async (own: readonly Membership[], responses: Responses, question: number): Promise<void> => {
  const pauses: number[] = [];
  const asked = own.filter(({ organisation_id: o }) => !responses.has(o));
  await Promise.all(
    asked.map(async ({ organisation_id: o }) => {
      const found = await callThrough('organisation.show', { names: { o } });
      const pause = againAfter(found);
      if (pause === undefined) responses.set(o, found);
      else pauses.push(pause);
    }),
  );
  if (question !== questions) return;
  if (pauses.length > 0) setTimeout(() => void ask(own, responses, question), Math.max(...pauses));
  // Whoever belongs somewhere must not be told that he belongs nowhere, because nobody had time to answer.
  if (pauses.length > 0 && organisations.value === undefined) return;
  organisations.value = own.flatMap(({ organisation_id: o, role }) => {
    const found = responses.get(o);
    if (found?.kind === 'ok') return [{ ...found.value, role }];
    // Refused: it is not theirs any more. Otherwise nothing is known anew.
    const before = organisations.value?.find(one => one.organisation_id === o);
    return found?.kind === 'refused' || !before ? [] : [before];
  });
};

/** Asks for the organisations of whoever is signed in. */
export const loadOrganisations = async (): Promise<void> => {
  const reply = session.value;
  if (reply?.kind !== 'ok') return;
  questions += 1;
  await ask(reply.value.organisations, new Map(), questions);
};

/** Keeps the organisations up with the session. */
export const followSession = (): void => {
  session.subscribe(reply => {
    if (reply?.kind === 'ok') void loadOrganisations();
  });
  let known = '';
  workspace.subscribe(place => {
    const w = place?.id ?? '';
    if (w !== known) void loadConnections();
    known = w;
  });
};

/** A workspace that the person may open. */
export interface OpenWorkspace {
  readonly id: string;
  readonly name: string;
  /** The organisation through which the person has it. */
  readonly organisation: OwnOrganisation;
  readonly isGuest: boolean;
}

export const workspaces = derived([organisations], (): readonly OpenWorkspace[] =>
  (organisations.value ?? []).flatMap(organisation => [
    ...organisation.workspaces.map(one => ({ ...one, organisation, isGuest: false })),
    ...organisation.invited_to.map(one => ({ ...one, organisation, isGuest: true })),
  ]),
);

const remembered = 'workspace';
const chosen = cell(localStorage.getItem(remembered) ?? '');

/** Chooses the workspace that pages without one of their own are about. */
export const chooseWorkspace = (id: string): void => {
  chosen.value = id;
  localStorage.setItem(remembered, id);
};

/** The workspace of the page, or the one that was chosen last, or the first. */
export const workspace = derived([workspaces, here, chosen], (): OpenWorkspace | undefined => {
  const wanted = here.value?.names['w'] ?? chosen.value;
  return workspaces.value.find(({ id }) => id === wanted) ?? workspaces.value[0];
});

type Known = ResponseOf<'workspace.show'>['connections'];

const connectionsOf = cell<{ readonly w: string; readonly known: Known }>({ w: '', known: [] });

/** The connections of the workspace, as far as they are known: what programs call by an id, people call by its app. */
export const connections = derived(
  [connectionsOf, workspace],
  (): Known => (connectionsOf.value.w === workspace.value?.id ? connectionsOf.value.known : []),
);

/** Asks for the connections of the workspace. */
export const loadConnections = async (): Promise<void> => {
  const w = workspace.value?.id;
  if (w === undefined) return;
  const reply = await callThrough('workspace.show', { names: { w } });
  if (reply.kind === 'ok') connectionsOf.value = { w, known: reply.value.connections };
};

const askedFor = new Set<string>();

/** Asks again when a connection turns up that is not known: somebody has just created it. */
export const learnConnection = (id: string): void => {
  if (askedFor.has(id) || connections.value.length === 0) return;
  askedFor.add(id);
  void loadConnections();
};
