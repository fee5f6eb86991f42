import type { CaseReport, CheckKind } from '../contract/portal/checks.ts';
import { roleFile } from '../generated/check-cases.generated.ts';

/** What a role has to prove besides what everyone has to. */
interface Proof {
  /** A case that is named by its id counts even if it does not apply; of a group, those that do. */
  readonly cases?: readonly string[];
  /** One of these has to pass. */
  readonly oneOf?: readonly string[];
}

type Proofs = Readonly<Partial<Record<CheckKind, Proof>>>;

/** `checks/roles.yaml` */
export interface RoleFile {
  readonly everyone: Readonly<Record<CheckKind, readonly string[]>>;
  readonly roles: Readonly<Record<string, Proofs & { readonly name: string }>>;
  readonly systems: Readonly<
    Record<string, { readonly name: string; readonly roles: readonly string[] }>
  >;
}

/** A role of SOM 1.0, or a system of a newsroom with the roles that it has. */
interface NamedRole {
  /** With its article. */
  readonly name: string;
  readonly roles: readonly string[];
}

export const { everyone } = roleFile;
const { roles, systems } = roleFile;

const namedRoles: ReadonlyMap<string, NamedRole> = new Map([
  ...Object.entries(roles).map(([id, { name }]) => [id, { name, roles: [id] }] as const),
  ...Object.entries(systems),
]);

export const nameOfRole = (role: string): string => namedRoles.get(role)?.name ?? role;

/** The roles of SOM 1.0 that it has: itself, or those of a system. */
export const rolesOf = (role: string): readonly string[] => namedRoles.get(role)?.roles ?? [];

/** What a role is to be checked as, and what it then has to prove; undefined if it is not. */
export const proofOf = (role: string, kind: CheckKind): Required<Proof> | undefined => {
  const proofs = rolesOf(role).flatMap(one => roles[one]?.[kind] ?? []);
  if (proofs.length === 0) return undefined;
  return {
    cases: proofs.flatMap(({ cases = [] }) => cases),
    oneOf: [...new Set(proofs.flatMap(({ oneOf = [] }) => oneOf))],
  };
};

export const kindsOf = (role: string): readonly CheckKind[] =>
  (['producer', 'consumer', 'executor'] as const).filter(kind => proofOf(role, kind));

/** Whether a case is the one of this name, or one of the group. */
const isWithin = (name: string, id: string): boolean => id === name || id.startsWith(`${name}/`);

/** What a run is about: its kind, and the role that it was started with. */
export interface RoleFacts {
  readonly kind: CheckKind;
  readonly role?: string;
}

const nothing = { cases: [], oneOf: [] };

const proofIn = ({ kind, role }: RoleFacts): Required<Proof> =>
  (role === undefined ? undefined : proofOf(role, kind)) ?? nothing;

/** Whether a run has to prove a case, where it applies, even if nobody chose it. */
export const isRequired = (facts: RoleFacts, id: string): boolean =>
  [...everyone[facts.kind], ...proofIn(facts).cases].some(name => isWithin(name, id));

/**
 * What a run had to prove and did not try: ids of cases, or several of which one would have done.
 */
export const unprovenIn = (facts: RoleFacts, cases: readonly CaseReport[]): readonly string[] => {
  const { cases: named, oneOf } = proofIn(facts);
  // An executor has to prove whatever is played to it.
  const isListed = (id: string) => everyone[facts.kind].length === 0 || isRequired(facts, id);
  const open = cases.filter(({ case_id, verdict }) => {
    if (verdict === 'not run') return isListed(case_id);
    return verdict === 'not applicable' && named.includes(case_id);
  });
  const absent = named.filter(name => !cases.some(({ case_id }) => isWithin(name, case_id)));
  const isTried = cases.some(
    ({ case_id, verdict }) =>
      oneOf.includes(case_id) && (verdict === 'passed' || verdict === 'failed'),
  );
  const wanted = isTried || oneOf.length === 0 ? [] : [oneOf.join(' or ')];
  return [...open.map(({ case_id }) => case_id), ...absent, ...wanted];
};
