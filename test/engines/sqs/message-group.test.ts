import { MessageGroup } from '../../../lib/engines/sqs/fifo-queue.ts';

const message = (sequence: number) => ({
  sequence,
  group: 'a',
  sentAt: 0,
  content: '',
  receives: 0,
  receipt: '',
  firstTakenAt: 0,
  takenAt: 0,
  hiddenUntil: 0,
});

function groupOf(size: number) {
  const group = new MessageGroup<string>('a');
  const messages = Array.from({ length: size }, (_, index) => message(index + 1));
  for (const each of messages) group.add(each);
  return { group, messages };
}

test('the first message is the first remaining one, for any order of removals', () => {
  const { group, messages } = groupOf(3);
  const [one, two, three] = messages;
  if (!one || !two || !three) throw new Error('three messages were made');
  group.remove(two);
  expect(group.first).toBe(one);
  expect([...group.messages()]).toEqual([one, three]);
  group.remove(one);
  expect(group.first).toBe(three);
  group.remove(three);
  expect(group.first).toBeUndefined();
});

test('a group that was emptied and filled again keeps its order', () => {
  const { group, messages } = groupOf(100);
  for (const each of messages) group.remove(each);
  group.add(message(101));
  group.add(message(102));
  expect([...group.messages()].map(({ sequence }) => sequence)).toEqual([101, 102]);
});
