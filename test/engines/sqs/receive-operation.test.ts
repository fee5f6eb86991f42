import type { StoredBody } from '../../../lib/engines/journal/frame.ts';
import { sqsOperations } from '../../../lib/engines/sqs/engine.ts';
import { QueueSet, SqsState } from '../../../lib/engines/sqs/state.ts';
import type { JsonObject } from '../../../lib/json/value.ts';
import { FrozenClock } from '../support/frozen-clock.ts';
import { MemoryLog } from '../support/memory-log.ts';

/** A log whose reads wait for the test. */
class SlowLog extends MemoryLog {
  readonly waiting: (() => void)[] = [];

  override async read(stored: StoredBody): Promise<Buffer> {
    await new Promise<void>(resolve => this.waiting.push(resolve));
    return this.bodyOf(stored);
  }
}

async function scene() {
  const log = new SlowLog();
  let ids = 0;
  const edges = { clock: new FrozenClock(), newId: () => `id-${++ids}` };
  const operations = sqsOperations(new SqsState(new QueueSet(), log, edges));
  const call = async (name: string, input: JsonObject, gone = new AbortController().signal) =>
    operations.get(name)?.({ QueueUrl: '/q.fifo', ...input }, { endpoint: '', gone });
  await call('CreateQueue', { QueueName: 'q.fifo', Attributes: { FifoQueue: 'true' } });
  for (const body of ['one', 'two']) {
    await call('SendMessage', { MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId: body });
  }
  const receive = async (gone?: AbortSignal) => {
    const answer = call('ReceiveMessage', { MaxNumberOfMessages: 10 }, gone);
    await new Promise(resolve => setImmediate(resolve));
    const finish = () => {
      for (const go of log.waiting.splice(0)) go();
    };
    return { answer, finish };
  };
  return { receive, log };
}

const counts = (answer: unknown) =>
  JSON.stringify(answer)
    .match(/"Body":"\w+"/g)
    ?.map(match => match.slice(8, -1)) ?? [];

test('messages whose receiver disconnects before the answer is ready are visible again, in order', async () => {
  const { receive } = await scene();
  const leaver = new AbortController();
  const first = await receive(leaver.signal);
  leaver.abort();
  first.finish();
  await first.answer;
  const second = await receive();
  second.finish();
  expect(counts(await second.answer)).toEqual(['one', 'two']);
});

test('messages whose receiver disconnects before the answer is written are visible again', async () => {
  const { receive } = await scene();
  const leaver = new AbortController();
  const first = await receive(leaver.signal);
  first.finish();
  await first.answer;
  leaver.abort();
  const second = await receive();
  second.finish();
  expect(counts(await second.answer)).toEqual(['one', 'two']);
});

test('a body that changed on disk is not delivered', async () => {
  const { receive, log } = await scene();
  jest.spyOn(log, 'bodyOf').mockReturnValue(Buffer.from('other'));
  const { answer, finish } = await receive();
  finish();
  await expect(answer).rejects.toThrow(/^The body of message id-\d+ is damaged: record-1 at byte 0$/);
});
