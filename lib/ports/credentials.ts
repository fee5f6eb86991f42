import type { Connection } from '../domain/registry/connection.ts';
import type { Credential, SecretUse } from '../domain/registry/credential.ts';

/** Credentials as the token route reads them: never cached. */
export interface Credentials {
  find(connection: string): Promise<{ connection: Connection; credential: Credential } | undefined>;
  /** Notes when a secret was last used; does nothing when it is gone or a later use is known. */
  noteUse(connection: string, use: SecretUse): Promise<void>;
}
