import { changePermissions, createConnection } from '../../lib/registry/connections.ts';
import { problemWithUnknownTypes } from '../../lib/registry/patterns.ts';
import { problemWithPermissions } from '../../lib/registry/permissions.ts';
import { connectionOf } from '../corpus/connections.ts';
import { connectionsInMemory } from '../support/fakes/connections.ts';
import { registryPortsWith } from '../support/fakes/registry-ports.ts';

describe('patterns that match no known message type', () => {
  test.each([
    ['story.contxt', 'story.context'],
    ['storycontext', 'story.context'],
    ['link', 'link.*'],
    ['links.*', 'link.*'],
    ['skill.warning', 'skill.warning.*'],
    ['telling.stared', 'telling.started'],
  ])('%s is refused, and %s is suggested', (pattern, meant) => {
    expect(problemWithUnknownTypes(['link.*', pattern])).toBe(
      `"${pattern}" matches no known message type. Did you mean "${meant}"?`,
    );
  });

  test('weather is refused without a suggestion', () => {
    expect(problemWithUnknownTypes(['weather'])).toBe('"weather" matches no known message type.');
  });

  test.each(['*', 'story.context', 'story.*', 'skill.warning.*', 'asset.ingested', 'telling.proposed'])(
    '%s is known',
    pattern => {
      expect(problemWithUnknownTypes([pattern])).toBeUndefined();
    },
  );

  const request = {
    kind: 'producer',
    workspace: 'w1',
    app: 'archive',
    systemIds: [],
    grants: ['story.contxt'],
    receives: [],
    sources: [],
  } as const;

  test('are refused for a new connection, unless they are forced', async () => {
    const ports = registryPortsWith();
    const reason = expect.stringContaining('Did you mean "story.context"?');
    expect(await createConnection(ports, request)).toEqual({ kind: 'declined', reason, canForce: true });
    // The next check: the workspace.
    const forced = await createConnection(ports, request, { force: true });
    expect(forced).toEqual({ kind: 'declined', reason: 'There is no active workspace w1.' });
  });

  test('are refused in a change, unless they are forced; earlier ones are not looked at again', async () => {
    const consumer = { ...connectionOf('cbbbbbbbbbbbb', 'consumer', 'w1'), systemIds: [], grants: [] };
    const { port: connections } = connectionsInMemory({ connection: consumer, credential: { version: 1 } });
    const { directory } = registryPortsWith();
    const change = (receives: readonly string[], force?: true) =>
      changePermissions({ directory, connections }, consumer.id, { receives, ...(force ? { force } : {}) });
    expect(await change(['link'])).toMatchObject({ kind: 'declined' });
    expect(await change(['link'], true)).toMatchObject({ receives: ['link'] });
    const sources = await changePermissions({ directory, connections }, consumer.id, { sources: ['desk-1'] });
    expect(sources).toMatchObject({ receives: ['link'], sources: ['desk-1'] });
  });
});

describe('the lists of a connection', () => {
  const none = { systemIds: [], grants: [], receives: [], sources: [] };
  const many = (count: number) => Array.from({ length: count }, (_, index) => `desk_${index}`);

  test.each([
    ['producer', 'systemIds'],
    ['producer', 'grants'],
    ['consumer', 'receives'],
    ['consumer', 'sources'],
  ] as const)('of a %s: 50 %s fit, 51 do not', (kind, list) => {
    expect(problemWithPermissions({ ...none, kind, [list]: many(50) })).toBeUndefined();
    expect(problemWithPermissions({ ...none, kind, [list]: many(51) })).toContain('At most 50');
  });
});
