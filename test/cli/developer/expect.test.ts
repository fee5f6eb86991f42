import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sombus } from '../../support/commands.ts';
import { linkCommitted, storyContext } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';

const bus = serviceHere();

const publish = async (message: object): Promise<void> => {
  const file = join(bus.data, '..', 'expected.json');
  writeFileSync(file, JSON.stringify(message));
  expect((await sombus('publish', file, '--data', bus.data)).code).toBe(0);
};

const expected = (...args: readonly string[]) => sombus('expect', ...args, '--data', bus.data);

test('a message that comes is printed, and the command succeeds', async () => {
  await publish(storyContext({ story_id: 'harbour-fire' }));
  await publish(linkCommitted());
  const { code, stdout } = await expected(
    '--type',
    'link.committed',
    '--where',
    'payload.asset_id=clip-1',
  );
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ message_type: 'link.committed' }),
  ]);
});

test('of messages with the wanted member only one of the wanted type is taken', async () => {
  const [story, link] = [storyContext({ story_id: 'both' }), linkCommitted()];
  const correlation_id = '0197a1b2-c3d4-7e5f-8a6b-00000000b07e';
  for (const message of [story, link]) await publish({ ...message, correlation_id });
  const where = ['--where', `correlation_id=${correlation_id}`];
  const { code, stdout } = await expected('--type', 'link.committed', ...where);
  expect([code, JSON.parse(stdout).message_type]).toEqual([0, 'link.committed']);
});

test('a member can be a number, in a list, or anything else that JSON can say', async () => {
  const tags = [{ scheme: 'newsroom', value: 'fire' }];
  await publish(storyContext({ story_id: 'market', sequence_number: 4, tags }));
  const where = ['--where', 'payload.sequence_number=4', '--where', 'payload.tags.0.value=fire'];
  expect((await expected(...where)).code).toBe(0);
});

const digits = '9007199254740993';

/**
 * A message as its producer wrote it: with a number that no double holds, and a member whose name
 * has dots.
 */
const written = (storyId: string): string =>
  JSON.stringify(
    storyContext({
      story_id: storyId,
      extensions: { 'com.example.n': 5, 'com.example.long': 'digits', 'com.example.in': { n: 6 } },
    }),
  ).replace('"digits"', digits);

const publishText = async (text: string): Promise<void> => {
  const file = join(bus.data, '..', 'written.json');
  writeFileSync(file, text);
  expect((await sombus('publish', file, '--data', bus.data)).code).toBe(0);
};

test.each([
  'payload.extensions.com.example.n=5',
  'payload.extensions.com.example.in.n=6',
  '/payload/extensions/com.example.n=5',
  '/payload/extensions/com.example.in/n=6',
  `payload.extensions.com.example.long=${digits}`,
  `payload.extensions.com.example.long=${digits}.0`,
  'payload.extensions.com.example.in={"n":6.0}',
])('%s is found, and the message is printed with every digit', async condition => {
  const text = written(`dots-${condition.length}`);
  await publishText(text);
  const { code, stdout } = await expected('--where', condition, '--within', '5s');
  expect([code, stdout.includes(`"envelope":${text}`)]).toEqual([0, true]);
});

test('no number is taken for its neighbour, and what does not fit stays in the queue', async () => {
  await publishText(written('neighbours'));
  const neighbours = ['9007199254740992', '9007199254740994'];
  for (const number of neighbours) {
    const where = `payload.extensions.com.example.long=${number}`;
    expect(await expected('--where', where, '--within', '1s')).toMatchObject({
      code: 1,
      stdout: '',
    });
  }
  expect((await expected('--where', 'payload.story_id=neighbours')).code).toBe(0);
});

test('a message behind more than ten others is found', async () => {
  for (let number = 0; number < 11; number += 1) await publish(linkCommitted());
  await publish(storyContext({ story_id: 'behind' }));
  expect((await expected('--where', 'payload.story_id=behind')).code).toBe(0);
});

test('the help gives times with their units', async () => {
  expect((await sombus('expect', '--help')).stdout).toContain('(default: 10s)');
});

test('what came after it stays in the queue', async () => {
  const [first, second] = [linkCommitted(), linkCommitted()];
  for (const message of [first, second]) await publish(message);
  for (const { message_id } of [first, second])
    expect((await expected('--where', `message_id=${message_id}`, '--within', '1s')).code).toBe(0);
});

test('if it does not come, the exit code is 1, and the line says what came instead', async () => {
  await publish(linkCommitted());
  const { code, stdout, stderr } = await expected('--type', 'system.audit', '--within', '1s');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^no system\.audit came within 1 s; 1 other message came: link\.committed /,
  );
});

test('a passing error of the bus does not end it', async () => {
  await publish(linkCommitted());
  await sombus('errors', 'set', 'consumer', '--refuse', '503', '--times', '2', '--data', bus.data);
  expect((await expected('--type', 'link.committed')).code).toBe(0);
});

test('a wrong condition is a wrong command line', async () => {
  for (const args of [
    ['--where', 'payload'],
    ['--within', 'soon'],
  ])
    expect((await expected(...args)).code).toBe(2);
});
