import type { JsonObject } from '../../json/value.ts';
import { AwsError, listOf, objectOf, textOf } from '../aws-json/input.ts';
import { sqsError } from './errors.ts';

const maxEntries = 10;

export interface BatchEntry {
  readonly id: string;
  readonly input: JsonObject;
}

/** The entries of a batch request; what is wrong with the batch as a whole is refused. */
export const batchEntriesOf = (input: JsonObject): readonly BatchEntry[] => {
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
};

/** Does each entry by itself: one entry's refusal is its own, the others go on. */
export const answerBatch = (
  entries: readonly BatchEntry[],
  act: (input: JsonObject) => JsonObject,
): JsonObject => {
  const Successful: JsonObject[] = [];
  const Failed: JsonObject[] = [];
  for (const { id, input } of entries) {
    try {
      Successful.push({ Id: id, ...act(input) });
    } catch (fault) {
      if (!(fault instanceof AwsError)) throw fault;
      Failed.push({
        Id: id,
        SenderFault: true,
        Code: fault.shape.queryCode ?? fault.name,
        Message: fault.message,
      });
    }
  }
  return { Successful, ...(Failed.length === 0 ? {} : { Failed }) };
};
