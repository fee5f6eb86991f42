import type { Role } from '../../lib/contract/portal/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
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

/** What an organisation shows; asked again for as long as the service has no time. */
const shownBy = async (o: string): Promise<Reply<ResponseOf<'organisation.show'>>> => {
  for (;;) {
    const found = await callThrough('organisation.show', { names: { o } });
    const pause = againAfter(found);
    if (pause === undefined) return found;
    await new Promise(resolve => setTimeout(resolve, pause));
  }
};

/** Of the questions, only the last one counts. */
let questions = 0;

/** Asks for the organisations of whoever is signed in. */
export const loadOrganisations = async (): Promise<void> => {
  const reply = session.value;
  if (reply?.kind !== 'ok') return;

  questions += 1;
  const question = questions;
  const own = reply.value.organisations;
  const found = await Promise.all(own.map(({ organisation_id: o }) => shownBy(o)));
  if (question !== questions) return;

  organisations.value = own.flatMap(({ organisation_id: o, role }, at) => {
    const one = found[at];
    if (one?.kind === 'ok') return [{ ...one.value, role }];
    // It is not theirs any more.
    if (one?.kind === 'refused') return [];
    // What is known of it stays.
    return organisations.value?.filter(({ organisation_id }) => organisation_id === o) ?? [];
  });
};

/** Keeps the organisations up with the session. */
export const followSession = (): void => {
  session.subscribe(reply => {
    if (reply?.kind === 'ok') void loadOrganisations();
  });

  // Pages without a workspace of their own go on with this one, even if it is left before anybody
  // knows whether it is the person's.
  const goOn = () => {
    chosen.value = here.value?.names['w'] ?? chosen.value;
  };
  goOn();
  here.subscribe(goOn);

  let known = '';
  workspace.subscribe(place => {
    const w = place?.id ?? '';
    if (w !== '' && w === chosen.value) localStorage.setItem(remembered, w);
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
  const theirs = (w: string | null) => workspaces.value.find(({ id }) => id === w);
  return theirs(wanted) ?? theirs(localStorage.getItem(remembered)) ?? workspaces.value[0];
});

type Known = ResponseOf<'workspace.show'>['connections'];

const connectionsOf = cell<{ readonly w: string; readonly known: Known }>({ w: '', known: [] });

/**
 * The connections of the workspace, as far as they are known: what programs call by an id, people
 * call by its app.
 */
export const connections = derived([connectionsOf, workspace], (): Known => {
  const { w, known } = connectionsOf.value;
  return w === workspace.value?.id ? known : [];
});

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
