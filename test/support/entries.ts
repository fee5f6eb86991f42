import {
  type Commit,
  type Entry,
  type Head,
  newLease,
  type Progress,
} from '../../lib/bus/delivery/log.ts';
import type { StoryState } from '../../lib/som/stories/sequence-rules.ts';

export const time = Date.parse('2026-05-04T23:59:59.000Z');
export const workspace = 'w222222222222';

export const correlation = (index: number): string =>
  `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** An entry, by default the first of its correlation. */
export const entry = (messageId: string, members: Partial<Entry> = {}): Entry => ({
  workspace,
  correlationId: correlation(1),
  number: 1,
  messageId,
  messageType: 'link.committed',
  systemId: 'demo-ncs',
  producer: 'c222222222222',
  acceptedAt: time,
  targets: [{ connection: 'c333333333333', queue: 'sombus-c333333333333.fifo' }],
  body: Buffer.from(`{"é": "${messageId}"}\r\n`),
  ...members,
});

/**
 * A release after `published` was sent; what is left has waited since `unsentSince` and is due at
 * once.
 */
export const upTo = (published: number, unsentSince: number): Progress => ({
  published,
  unsentSince,
  dueAt: unsentSince,
});

export const commitOf = (one: Entry, head: Head, more: Partial<Commit> = {}): Commit => ({
  entry: one,
  bodyHash: `hash of ${one.messageId}`,
  attempt: `attempt of ${one.messageId}`,
  head,
  lease: newLease(`owner of ${one.messageId}`, one.acceptedAt),
  ...more,
});

/** The commit of an entry that another sender, or the relay, is to send. */
export const commitWithoutLease = (one: Entry, head: Head): Commit => {
  const { lease: _none, ...commit } = commitOf(one, head);
  return commit;
};

export const story = (sequenceNumber: number): StoryState => ({
  storyId: 'story-1',
  sequenceNumber: BigInt(sequenceNumber),
  updatedAt: '2026-05-04T09:00:00Z',
  storyType: 'PLANNED',
  members: ['story_id'],
  assets: [{ id: 'a', type: 'VIDEO' }],
  reviews: [],
});
