import type { JsonObject } from '../../../domain/message/json-object.ts';
import type { Operation } from '../aws-json/aws-json-service.ts';
import * as aliases from './alias-operations.ts';
import * as keys from './key-operations.ts';
import type { KmsState } from './kms-state.ts';
import * as signatures from './signature-operations.ts';

const operations: Readonly<Record<string, (state: KmsState, input: JsonObject) => JsonObject>> = {
  CancelKeyDeletion: keys.cancelKeyDeletion,
  CreateAlias: aliases.createAlias,
  CreateKey: keys.createKey,
  DeleteAlias: aliases.deleteAlias,
  DescribeKey: keys.describeKey,
  DisableKey: keys.disableKey,
  EnableKey: keys.enableKey,
  GetPublicKey: keys.getPublicKey,
  ListAliases: aliases.listAliases,
  ListKeys: keys.listKeys,
  ScheduleKeyDeletion: keys.scheduleKeyDeletion,
  Sign: signatures.sign,
  UpdateAlias: aliases.updateAlias,
  Verify: signatures.verify,
};

/** The operations of KMS. */
export const kmsOperations = (state: KmsState): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(operations).map(([name, operation]): [string, Operation] => [
      name,
      input => operation(state, input),
    ]),
  );
