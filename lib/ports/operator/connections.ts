import type { Connection } from '../../domain/registry/connection.ts';
import type { Credential } from '../../domain/registry/credential.ts';
import type { Credentials } from '../credentials.ts';
import type { Allotment } from './allotment.ts';

/** The lists of a connection's permissions that are replaced. */
export type PermissionChange = Partial<Pick<Connection, 'systemIds' | 'grants' | 'receives' | 'sources'>>;

/** Connections with their credentials, as the operator keeps them. Reads are fresh, but for a workspace's. */
export interface Connections extends Credentials {
  /** Answers with the system_id that another app of the workspace owns, when there is one: nothing is added then. */
  add(connection: Connection, credential: Credential): Promise<{ readonly owned: string } | undefined>;
  /** The connections of a workspace, whatever their status; by an index, so one made a moment ago may be missing. */
  ofWorkspace(id: string): Promise<readonly Connection[]>;
  /** The connections of an app, whatever their status. */
  ofApp(id: string): Promise<readonly Connection[]>;
  /**
   * Replaces the lists of `change`, and claims the system_ids among them. `gone`: there is no such connection, or it is revoked;
   * `owned`: another app of the workspace owns that system_id, and nothing is changed.
   */
  setPermissions(
    connection: Connection,
    change: PermissionChange,
  ): Promise<'set' | 'gone' | { readonly owned: string }>;
  revoke(id: string): Promise<boolean>;
  /** Pauses or resumes; false when there is no such connection, or it is revoked. */
  setPaused(id: string, paused: boolean): Promise<boolean>;
  /** False when the credential has another version than the one before `credential`'s. */
  replaceCredential(id: string, credential: Credential): Promise<boolean>;
  /** False when there is no such connection. */
  setQuota(id: string, allotment: Allotment): Promise<boolean>;
}
