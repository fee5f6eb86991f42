import { readdirSync } from 'node:fs';
import { connect } from '../../../lib/kit/client/index.ts';
import { startBus } from '../../../lib/local/testing/index.ts';
import { scratchFolder } from '../engines/support/scratch-folder.ts';

const folder = scratchFolder();

const notice = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

test.each([
  [undefined, 'true'],
  ['false', 'false'],
])('the notice of the SDK, of which its user said %s, is told of: %s', async (before, after) => {
  if (before === undefined) delete process.env[notice];
  else process.env[notice] = before;
  const bus = await startBus();
  await bus.close();
  expect(process.env[notice]).toBe(after);
  delete process.env[notice];
});

test('a bus that is closed is not reached, and its files are whole', async () => {
  const bus = await startBus({ folder });
  await bus.producer();
  await bus.close();
  expect(readdirSync(folder)).toEqual(['bus.sqlite']);
  await expect(fetch(bus.baseUrl)).rejects.toThrow('fetch failed');
});

test('reset forgets what came before the message that was expected', async () => {
  const bus = await startBus();
  const [producer, consumer] = [await bus.producer(), await bus.consumer()];
  for (const n of [1, 2])
    await producer.publish(producer.compose({ message_type: 'asset.ingested', payload: { n } }));
  await bus.expect(consumer, { payload: { n: 2 } });
  await bus.reset();
  await expect(bus.expect(consumer, {}, { within: 0 })).rejects.toThrow(
    'No message came within 0.',
  );
  await bus.close();
});

test('nobody is limited, unless that is asked for', async () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  const servedOf = async (limits?: boolean): Promise<number> => {
    const bus = await startBus({ tier: 'minimal', ...(limits === undefined ? {} : { limits }) });
    const { options } = await bus.consumer();
    const sleep = () => Promise.reject(new Error('It is limited.'));
    const outside = { now: () => bus.clock.now().getTime(), sleep };
    const client = connect({ ...options, outside });
    // With a token, which all the others have then.
    await client.backlog();
    const asked = Array.from({ length: 24 }, () => client.backlog());
    const all = await Promise.allSettled(asked);
    await bus.close();
    return all.filter(({ status }) => status === 'fulfilled').length + 1;
  };
  // As many as the lowest tier has at once.
  expect([await servedOf(), await servedOf(true)]).toEqual([25, 20]);
  now.mockRestore();
});
