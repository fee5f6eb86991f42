import type { JsonObject } from '../../../domain/message/json-object.ts';
import { AwsError } from '../aws-json/aws-error.ts';
import { listOf, objectOf, textOf } from '../aws-json/json-input.ts';
import { sqsError } from './sqs-error.ts';

const maxEntries = 10;

export interface BatchEntry {
  readonly id: string;
  readonly input: JsonObject;
}

/** The entries of a batch request; what is wrong with the batch as a whole is refused. */
export function batchEntriesOf(input: JsonObject): readonly BatchEntry[] {
  const entries = (listOf(input, 'Entries') ?? []).map(entry => {
    const object = objectOf(entry, 'Entries');
    return { id: textOf(object, 'Id') ?? '', input: object };
  });
  if (entries.length === 0) {
    throw sqsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  }
  if (entries.length > maxEntries) {
    const sent = `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`;
    throw sqsError('TooManyEntriesInBatchRequest', sent);
  }
  if (!entries.every(({ id }) => /^[\w-]{1,80}$/.test(id))) {
    const form =
      'can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.';
    throw sqsError('InvalidBatchEntryId', `A batch entry id ${form}`);
  }
  const repeated = entries.find(({ id }, index) => entries.findIndex(other => other.id === id) < index);
  if (repeated) throw sqsError('BatchEntryIdsNotDistinct', `Id ${repeated.id} repeated.`);
  return entries;
}

/** Does each entry by itself: one entry's refusal is its own, the others go on. */
export function answerBatch(
  entries: readonly BatchEntry[],
  act: (input: JsonObject) => JsonObject,
): JsonObject {
  const Successful: JsonObject[] = [];
  const Failed: JsonObject[] = [];
  for (const { id, input } of entries) {
    try {
      Successful.push({ Id: id, ...act(input) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Failed.push({
        Id: id,
        SenderFault: true,
        Code: error.shape.queryCode ?? error.name,
        Message: error.message,
      });
    }
  }
  return { Successful, ...(Failed.length === 0 ? {} : { Failed }) };
}
