import { problemWithPermissions } from '../../../lib/domain/registry/check-permissions.ts';
import { identifier, identifierBytes, isConnectionId } from '../../../lib/domain/registry/identifier.ts';
import { matches } from '../../../lib/domain/registry/pattern.ts';

describe('an identifier', () => {
  test('is a letter and twelve characters of a-z2-7, five bits from each byte', () => {
    const bytes = Uint8Array.of(0, 1, 25, 26, 31, 32, 33, 63, 64, 128, 255, 224);
    expect(identifier('c', bytes)).toBe('cabz27ab7aa7a');
    expect(identifier('w', new Uint8Array(identifierBytes))).toBe('waaaaaaaaaaaa');
  });

  test.each(['caaaaaaaaaaaa', 'c234567abcdef'])('%s is a connection id', id => {
    expect(isConnectionId(id)).toBe(true);
  });

  test.each([
    '',
    'c',
    'waaaaaaaaaaaa',
    'caaaaaaaaaaa1',
    'cAAAAAAAAAAAA',
    'caaaaaaaaaaaa\n',
    'caaaaaaaaaaaaa',
  ])('%j is no connection id', id => {
    expect(isConnectionId(id)).toBe(false);
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

describe('the permissions of a connection', () => {
  const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

  test('a producer sends and a consumer receives', () => {
    expect(
      problemWithPermissions({ ...nothing, kind: 'producer', systemIds: ['ncs'], grants: ['*'] }),
    ).toBeUndefined();
    expect(
      problemWithPermissions({ ...nothing, kind: 'consumer', receives: ['link.*'], sources: ['ncs'] }),
    ).toBeUndefined();
  });

  test.each([
    [{ kind: 'producer', receives: ['*'] } as const, /receives nothing/],
    [{ kind: 'consumer', grants: ['*'] } as const, /sends nothing/],
    [{ kind: 'producer', grants: ['Story.*'] } as const, /"Story\.\*" is no message type pattern/],
    [{ kind: 'consumer', receives: ['*.context'] } as const, /is no message type pattern/],
    [{ kind: 'producer', systemIds: [''] } as const, /1 to 256 characters/],
    [
      { kind: 'consumer', sources: Array.from({ length: 51 }, (_, index) => `s${index}`) } as const,
      /At most 50/,
    ],
  ])('%j is refused with a sentence', (permissions, sentence) => {
    expect(problemWithPermissions({ ...nothing, ...permissions })).toMatch(sentence);
  });
});
