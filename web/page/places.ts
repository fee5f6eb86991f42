import { computed, effect, signal } from '@preact/signals';
import type { Role } from '../../lib/contract/portal.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { here } from './address.ts';
import { againAfter, call } from './call.ts';
import { session } from './session.ts';

/** An organisation of the person's. */
export interface OwnOrganisation extends AnswerOf<'organisation.show'> {
  readonly role: Role;
}

/** The person's organisations; undefined until they are known. */
export const organisations = signal<readonly OwnOrganisation[] | undefined>(undefined);

/** Asks for the organisations of whoever is signed in. */
export const loadOrganisations = async (): Promise<void> => {
  const reply = session.value;
  if (reply?.kind !== 'ok') return;
  const shown = await Promise.all(
    reply.value.organisations.map(async ({ organisation_id: o, role }) => {
      const found = await call('organisation.show', { names: { o } });
      return { o, role, found };
    }),
  );
  const pauses = shown.map(({ found }) => againAfter(found)).filter(pause => pause !== undefined);
  if (pauses.length > 0) setTimeout(() => void loadOrganisations(), Math.max(...pauses));
  // Whoever belongs somewhere must not be told that he belongs nowhere, because nobody had time to answer.
  if (pauses.length > 0 && organisations.value === undefined) return;
  organisations.value = shown.flatMap(({ o, role, found }) => {
    if (found.kind === 'ok') return [{ ...found.value, role }];
    // Refused: it is not theirs any more. Otherwise nothing is known anew.
    const before = organisations.value?.find(one => one.organisation_id === o);
    return found.kind === 'refused' || !before ? [] : [before];
  });
};

/** Keeps the organisations up with the session. */
export const followSession = (): void => {
  effect(() => {
    if (session.value?.kind === 'ok') void loadOrganisations();
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

export const workspaces = computed((): readonly OpenWorkspace[] =>
  (organisations.value ?? []).flatMap(organisation => [
    ...organisation.workspaces.map(one => ({ ...one, organisation, isGuest: false })),
    ...organisation.invited_to.map(one => ({ ...one, organisation, isGuest: true })),
  ]),
);

const remembered = 'workspace';
const chosen = signal(localStorage.getItem(remembered) ?? '');

/** Chooses the workspace that pages without one of their own are about. */
export const chooseWorkspace = (id: string): void => {
  chosen.value = id;
  localStorage.setItem(remembered, id);
};

/** The workspace of the page, or the one that was chosen last, or the first. */
export const workspace = computed((): OpenWorkspace | undefined => {
  const wanted = here.value?.names['w'] ?? chosen.value;
  return workspaces.value.find(({ id }) => id === wanted) ?? workspaces.value[0];
});
