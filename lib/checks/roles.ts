import type { CaseReport, CheckKind } from '../contract/portal/checks.ts';
import { roleFile } from '../generated/check-cases.generated.ts';

/** What a role has to prove besides what everyone has to. */
interface Proof {
  /** A case that is named by its id counts even if it does not apply; of a group, those that do. */
  readonly cases: readonly string[];
  /** One of these has to pass. */
  readonly oneOf: readonly string[];
}

/** A role of SOM 1.0, or a system of a newsroom, with what the roles that it has ask for. */
export interface NamedRole {
  /** With its article. */
  readonly name: string;
  readonly roles: readonly string[];
  /** By what it is to be checked as. */
  readonly proofs: Readonly<Partial<Record<CheckKind, Proof>>>;
}

/** `checks/roles.yaml`, with what each system has to prove. */
export interface RoleFile {
  readonly everyone: Readonly<Record<CheckKind, readonly string[]>>;
  readonly roles: Readonly<Record<string, NamedRole>>;
}

export const { everyone, roles } = roleFile;

/** Whether a case is the one of this name, or one of the group. */
const isWithin = (name: string, id: string): boolean => id === name || id.startsWith(`${name}/`);

/** What a run is about: its kind, and the role that it was started with. */
export interface RoleFacts {
  readonly kind: CheckKind;
  readonly role?: string;
}

const proofIn = ({ kind, role = '' }: RoleFacts): Proof =>
  roles[role]?.proofs[kind] ?? { cases: [], oneOf: [] };

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

  const tried = cases.filter(({ verdict }) => verdict === 'passed' || verdict === 'failed');
  const isTried = tried.some(({ case_id }) => oneOf.includes(case_id));
  const wanted = isTried || oneOf.length === 0 ? [] : [oneOf.join(' or ')];
  return [...open.map(({ case_id }) => case_id), ...absent, ...wanted];
};
