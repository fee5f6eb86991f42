// jest: npx jest story.test.cjs
const { startBus } = require('som-bus/testing');

let bus;
let producer;
let consumer;

beforeAll(async () => {
  bus = await startBus();
  producer = await bus.producer({ systems: ['planning'], grants: ['story.context'] });
  consumer = await bus.consumer({ receives: ['story.context'] });
});
beforeEach(() => bus.reset());
afterAll(() => bus.close());

const story = headline => ({
  message_type: 'story.context',
  payload: {
    story_id: 'harbour-fire',
    slug: 'HARBOUR-FIRE',
    headline,
    story_type: 'PLANNED',
    sequence_number: 1,
    updated_at: '2026-05-04T09:00:00Z',
  },
});

test('a story arrives', async () => {
  const verdict = await producer.publish(producer.compose(story('Fire in the harbour')));
  expect(verdict.outcome).toBe('accepted');
  await bus.expect(consumer, {
    payload: { story_id: 'harbour-fire', headline: expect.stringContaining('Fire') },
  });
});

test('a lost response makes no second story', async () => {
  bus.faults(producer, { loseResponses: 1 });
  const verdict = await producer.publish(producer.compose(story('Fire in the harbour')));
  expect(verdict.outcome).toBe('duplicate');
  await bus.expect(consumer, { message_type: 'story.context' });
  await expect(bus.expect(consumer, {}, { within: '200ms' })).rejects.toThrow('No message came');
});
