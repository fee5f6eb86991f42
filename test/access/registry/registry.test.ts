import type { Connection } from '../../../lib/access/registry/connection.ts';
import { matches } from '../../../lib/access/registry/patterns.ts';
import {
  checkGrants,
  isSystemId,
  problemWithPermissions,
} from '../../../lib/access/registry/permissions.ts';
import { identifier, identifierBytes, isConnectionId } from '../../../lib/contract/identifiers.ts';
import { invalidCharacter } from '../../../lib/local/engines/sqs/message-contents.ts';
import type { Message } from '../../../lib/som/messages/read-message.ts';

describe('an identifier', () => {
  test('is a letter and twelve characters of a-z2-7, five bits from each byte', () => {
    const bytes = Uint8Array.of(0, 1, 25, 26, 31, 32, 33, 63, 64, 128, 255, 224);
    expect(identifier('c', bytes)).toBe('cabz27ab7aa7a');
    expect(identifier('w', new Uint8Array(identifierBytes))).toBe('waaaaaaaaaaaa');
  });

  const near = [
    '',
    'c',
    'waaaaaaaaaaaa',
    'caaaaaaaaaaa1',
    'cAAAAAAAAAAAA',
    'caaaaaaaaaaaa\n',
    'caaaaaaaaaaaaa',
  ];

  test.each(near)('c234567abcdef is a connection id, and %j is none', id => {
    expect([isConnectionId('c234567abcdef'), isConnectionId(id)]).toEqual([true, false]);
  });
});

describe('a pattern of message types', () => {
  test.each([
    ['*', 'story.context'],
    ['story.context', 'story.context'],
    ['telling.*', 'telling.started'],
    ['skill.*', 'skill.warning.raised'],
  ])('%s covers %s', (pattern, type) => {
    expect(matches(pattern, type)).toBe(true);
  });

  test.each([
    ['story.context', 'story.context.more'],
    ['telling.*', 'telling'],
    ['telling.*', 'tellings.started'],
    ['', 'story.context'],
    ['story', 'story.context'],
    ['*.context', 'story.context'],
  ])('%j does not cover %s', (pattern, type) => {
    expect(matches(pattern, type)).toBe(false);
  });
});

describe('a system_id', () => {
  test.each(['demo-ncs', 'Regie 1', 'Nachrichten Köln', '報道', 'n'.repeat(256)])(
    '%s is one',
    text => {
      expect(isSystemId(text)).toBe(true);
    },
  );

  test.each([
    '',
    'n'.repeat(257),
    'ncs\u0007one',
    'ncs\n',
    'ncs\u2028',
    'ncs\uFFFE',
    'ncs\uD800',
    'ncs\u{1FFFF}',
    '\u202Esnc',
  ])('%j is none', text => {
    expect(isSystemId(text)).toBe(false);
  });

  test('has no character that a queue refuses', () => {
    const refused: number[] = [];
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point);
      if (isSystemId(character) && invalidCharacter(character) !== undefined) refused.push(point);
    }
    expect(refused).toEqual([]);
  });

  test('producer.system_id_not_allowed: one that no queue takes is not sent, whatever the registry says', () => {
    const systemId = 'ncs\u0007one';
    const message = { systemId, messageType: 'link.committed' } as Message;
    const connection = { ...({} as Connection), systemIds: [systemId], grants: ['*'] };
    expect(checkGrants(message, connection)).toMatchObject([
      { rule: 'producer.system_id_not_allowed' },
    ]);
    expect(
      checkGrants({ ...message, systemId: 'ncs' }, { ...connection, systemIds: ['ncs'] }),
    ).toEqual([]);
  });
});

describe('the permissions of a connection', () => {
  const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

  test('a producer sends and a consumer receives', () => {
    const producer = { ...nothing, kind: 'producer', systemIds: ['ncs'], grants: ['*'] } as const;
    const consumer = {
      ...nothing,
      kind: 'consumer',
      receives: ['link.*'],
      sources: ['ncs'],
    } as const;
    expect([producer, consumer].map(problemWithPermissions)).toEqual([undefined, undefined]);
  });

  test.each([
    [{ kind: 'producer', receives: ['*'] } as const, /receives nothing/],
    [{ kind: 'consumer', grants: ['*'] } as const, /sends nothing/],
    [
      { kind: 'producer', grants: ['Story.*'] } as const,
      /"Story\.\*" is not a message type pattern/,
    ],
    [{ kind: 'consumer', receives: ['*.context'] } as const, /is not a message type pattern/],
    [
      { kind: 'producer', grants: [`a"\n${'b'.repeat(35)}😀`] } as const,
      /^"a\\"\\nb{35}…" is not a message type pattern/,
    ],
    [{ kind: 'producer', systemIds: [''] } as const, /1 to 256 characters/],
    [{ kind: 'producer', systemIds: ['ncs', 'ncs\u0007one'] } as const, /all of them printable/],
    [{ kind: 'consumer', sources: ['ncs\uFFFE'] } as const, /all of them printable/],
  ])('%j is refused with a sentence', (permissions, sentence) => {
    expect(problemWithPermissions({ ...nothing, ...permissions })).toMatch(sentence);
  });

  test.each([
    ['producer', 'systemIds'],
    ['producer', 'grants'],
    ['consumer', 'receives'],
    ['consumer', 'sources'],
  ] as const)('of a %s: 50 %s fit, 51 do not', (kind, list) => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `desk_${index}`);
    expect(problemWithPermissions({ ...nothing, kind, [list]: many(50) })).toBeUndefined();
    expect(problemWithPermissions({ ...nothing, kind, [list]: many(51) })).toContain('At most 50');
  });
});
