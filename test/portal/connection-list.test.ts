import { type PlayedScene, startScene } from './scene/stage.ts';

interface Listed {
  readonly total: number;
  readonly next?: string;
  readonly connections: readonly { readonly app_name: string; readonly vendor?: string }[];
}

describe('the list of connections', () => {
  let scene: PlayedScene;

  beforeAll(async () => {
    scene = await startScene({ connections: 120, messages: 10, waiting: 0, changes: 0 });
  });
  afterAll(() => scene.portal.close());

  const list = async (query: Readonly<Record<string, string>>): Promise<Listed> => {
    const asked = { person: scene.people.viewer, subject: { w: scene.cast.workspace }, query };
    const { status, body } = await scene.portal.call('connection.list', asked);
    expect(status).toBe(200);
    return body as unknown as Listed;
  };

  const namesIn = ({ connections }: Listed) => connections.map(({ app_name: app }) => app);

  test('finds one of many by words of its name and its kind, wherever its page is', async () => {
    const found = await list({ find: 'FENNEL consumer' });
    expect([found.total, namesIn(found)]).toEqual([1, ['mam-fennel']]);
    expect((await list({ find: 'fennel archive' })).total).toBe(0);
  });

  test('finds by the vendor, and by a type that a pattern covers', async () => {
    const ofVendor = await list({ find: 'gmbh' });
    expect(ofVendor.connections.map(({ vendor }) => vendor)).toEqual([
      'ウィジェット GmbH',
      'ウィジェット GmbH',
    ]);
    // Both may link.*, and neither anything else.
    expect((await list({ find: 'link.withdrawn gmbh' })).total).toBe(2);
    expect((await list({ find: 'telling.ended gmbh' })).total).toBe(0);
  });

  test('is sorted over all of its pages, and says how many there are', async () => {
    const first = await list({});
    const second = await list({ after: first.next ?? '' });
    const third = await list({ after: second.next ?? '' });
    const names = [first, second, third].flatMap(namesIn);
    expect([first.total, names.length, third.next]).toEqual([120, first.total, undefined]);
    const folded = names.map(name => name.toLowerCase());
    expect(folded).toEqual([...folded].sort((a, b) => a.localeCompare(b)));
    const last = await list({ order: 'descending' });
    expect(namesIn(last)[0]).toBe(names.at(-1));
  });

  test('is sorted by what a column shows, and declines what it has no column for', async () => {
    const kinds = await list({ sort: 'kind', order: 'descending' });
    expect(kinds.connections[0]).toMatchObject({ kind: 'producer' });
    const asked = {
      person: scene.people.viewer,
      subject: { w: scene.cast.workspace },
      query: { sort: 'secret' },
    };
    expect((await scene.portal.call('connection.list', asked)).status).toBe(400);
  });
});
