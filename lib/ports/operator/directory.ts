import type { Party, PartyKind } from '../../domain/registry/organisation.ts';
import type { Allotment } from './allotment.ts';

/** Organisations, workspaces and apps, as the operator keeps them. */
export interface Directory {
  add(party: Party): Promise<void>;
  find(kind: PartyKind, id: string): Promise<Party | undefined>;
  /** Newest last; `parent` is the organisation of workspaces and apps. */
  list(kind: PartyKind, parent?: string): Promise<readonly Party[]>;
  /** What an organisation's connections start with; false when there is no such organisation. */
  setQuota(organisation: string, allotment: Allotment): Promise<boolean>;
  /** False when there is no such party. */
  revoke(kind: PartyKind, id: string): Promise<boolean>;
}
