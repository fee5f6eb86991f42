import { AwsError } from '../../../../lib/local/engines/aws-json/input.ts';
import {
  batchEntriesOf,
  invalidParameter,
  noSuchQueue,
  requiredParameter,
  runBatch,
  sqsError,
} from '../../../../lib/local/engines/sqs/batch.ts';
import { toldOf } from '../support/sqs-scene.ts';

// The service model of the AWS SDKs: the error's name, its HTTP status, and the code that the older
// query protocol had for it, which SDKs still report.
test.each([
  ['BatchEntryIdsNotDistinct', 400, 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct'],
  ['EmptyBatchRequest', 400, 'AWS.SimpleQueueService.EmptyBatchRequest'],
  ['InvalidAttributeName', 400, 'InvalidAttributeName'],
  ['InvalidBatchEntryId', 400, 'AWS.SimpleQueueService.InvalidBatchEntryId'],
  ['InvalidMessageContents', 400, 'InvalidMessageContents'],
  ['QueueDoesNotExist', 400, 'AWS.SimpleQueueService.NonExistentQueue'],
  ['QueueNameExists', 400, 'QueueAlreadyExists'],
  ['ReceiptHandleIsInvalid', 404, 'ReceiptHandleIsInvalid'],
  ['TooManyEntriesInBatchRequest', 400, 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest'],
  ['UnsupportedOperation', 400, 'AWS.SimpleQueueService.UnsupportedOperation'],
] as const)('%s has the status %d and the code %s', (name, status, queryCode) => {
  const error = sqsError(name, 'why');
  expect(error).toMatchObject({ name, message: 'why', members: {} });
  expect(error.shape).toEqual({ type: `com.amazonaws.sqs#${name}`, status, queryCode });
});

test.each([
  ['InvalidParameterValue', 'InvalidParameterValueException'],
  ['MissingParameter', 'MissingRequiredParameterException'],
] as const)('%s is an error of the protocol, with status 400', (queryCode, name) => {
  const type = `com.amazon.coral.service#${name}`;
  expect(sqsError(queryCode, 'why').shape).toEqual({ type, status: 400, queryCode });
});

test('the refusals have the words of AWS', () => {
  expect(noSuchQueue().message).toBe('The specified queue does not exist.');
  expect(invalidParameter('Size', 7, 'Too odd.').message).toBe(
    'Value 7 for parameter Size is invalid. Reason: Too odd.',
  );
  for (const absent of [undefined, ''])
    expect(() => requiredParameter(absent, 'Name')).toThrow(
      'The request must contain the parameter Name.',
    );
  expect(requiredParameter(0, 'Number')).toBe(0);
});

const batch = (...ids: readonly unknown[]) =>
  batchEntriesOf({ Entries: ids.map(Id => ({ Id })) }, ['Text']);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

test('a batch has up to ten entries, in the order in which they were sent', () => {
  const inputs = numbered(10).map(Id => ({ Id, Text: `of ${Id}` }));
  expect(batchEntriesOf({ Entries: inputs }, ['Text'])).toEqual(
    inputs.map(input => ({ id: input.Id, input })),
  );
});

test.each([
  [undefined, 'EmptyBatchRequest', 'There should be at least one entry in the request.'],
  [[], 'EmptyBatchRequest', 'There should be at least one entry in the request.'],
  [
    numbered(11),
    'TooManyEntriesInBatchRequest',
    'Maximum number of entries per request are 10. You have sent 11.',
  ],
  [['a', 'b', 'c', 'b'], 'BatchEntryIdsNotDistinct', 'Id b repeated.'],
])('a batch of %j is refused as a whole: %s', (ids, name, message) => {
  const Entries = ids?.map(Id => ({ Id }));
  expect(() => batchEntriesOf({ Entries }, [])).toThrow(expect.objectContaining({ name, message }));
});

test('an entry has an id of 1 to 80 letters, digits, hyphens and underscores', () => {
  const longest = 'a'.repeat(80);
  expect(batch('aZ09_-', longest).map(({ id }) => id)).toEqual(['aZ09_-', longest]);
  for (const id of [undefined, '', 'a b', 'ä', 'a.b', 'a'.repeat(81)])
    expect(toldOf(() => batch('good', id))).toMatchObject({
      type: 'com.amazonaws.sqs#InvalidBatchEntryId',
      message:
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. ' +
        'It can be at most 80 letters long.',
    });
});

test('an entry with a parameter that is not served is refused, and one that is no object', () => {
  const parameter = { Entries: [{ Id: 'a', Text: 'x', DelaySeconds: 1 }] };
  expect(() => batchEntriesOf(parameter, ['Text'])).toThrow(
    'The local SQS engine does not support the parameter DelaySeconds of Entries.',
  );
  expect(() => batchEntriesOf({ Entries: ['a'] }, [])).toThrow('Entries must be an object');
});

test('a batch tells of each entry whether it succeeded, and why not', () => {
  const entries = batch('one', 'two', 'three', 'four');
  const refusals = new Map([
    ['two', sqsError('QueueDoesNotExist', 'none')],
    ['four', new AwsError({ type: 'service#Unheard', status: 400 }, 'no code')],
  ]);
  const act = ({ Id }: { readonly Id?: unknown }) => {
    const refusal = refusals.get(String(Id));
    if (refusal) throw refusal;
    return { Did: `${Id}` };
  };
  expect(runBatch(entries, act)).toEqual({
    Successful: [
      { Id: 'one', Did: 'one' },
      { Id: 'three', Did: 'three' },
    ],
    Failed: [
      {
        Id: 'two',
        SenderFault: true,
        Code: 'AWS.SimpleQueueService.NonExistentQueue',
        Message: 'none',
      },
      { Id: 'four', SenderFault: true, Code: 'Unheard', Message: 'no code' },
    ],
  });
  expect(runBatch(batch('two'), act)).toMatchObject({ Successful: [], Failed: [{ Id: 'two' }] });
  expect(runBatch(batch('one'), act)).toEqual({ Successful: [{ Id: 'one', Did: 'one' }] });
});

test('an error that is no refusal ends the batch', () => {
  const act = () => {
    throw new Error('disk full');
  };
  expect(() => runBatch(batch('one'), act)).toThrow('disk full');
});
