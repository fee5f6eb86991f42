import type { Message } from '../../lib/messages/read-message.ts';
import { targetsOf } from '../../lib/publishing/publish.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import { connectionOf } from '../corpus/connections.ts';

const consumer = (id: string, members: Partial<Connection> = {}): Connection => ({
  ...connectionOf(id, 'consumer', 'w1'),
  queue: `${id}.fifo`,
  ...members,
});

const message: Message = {
  messageId: 'm1',
  messageType: 'telling.started',
  correlationId: 'x',
  systemId: 'ncs-1',
  family: 'telling-event',
  tolerated: [],
  body: Buffer.from('{}'),
  bodyHash: 'h',
};

test.each([
  ['everything', {}, true],
  ['the exact type', { receives: ['telling.started'] }, true],
  ['its family', { receives: ['link.*', 'telling.*'] }, true],
  ['another family', { receives: ['link.*'] }, false],
  ['a type that only has the same beginning', { receives: ['telling'] }, false],
  ['its source', { sources: ['ncs-1', 'ncs-2'] }, true],
  ['another source', { sources: ['ncs-2'] }, false],
  ['everything, but is paused', { status: 'paused' as const }, false],
  ['everything, but is revoked', { status: 'revoked' as const }, false],
])('a consumer that subscribes to %s: %#', (_what, members, gets) => {
  expect(targetsOf([consumer('c1', members)], message)).toEqual(
    gets ? [{ connection: 'c1', queue: 'c1.fifo' }] : [],
  );
});
