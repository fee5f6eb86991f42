import { readdirSync, readFileSync } from 'node:fs';
import {
  type PortalCall,
  type PortalCallId,
  portalCallIds,
  portalCalls,
} from '../../lib/contract/portal/portal.ts';
import { type BodyMember, bodyMembers } from '../../lib/contract/portal/portal-bodies.ts';
import { postedBody } from '../../lib/portal/posted-body.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { type Scene, sceneOf } from './guest-scene.ts';
import { type PortalService, startPortal } from './portal-service.ts';

const deep = (open: string, close: string): string => open.repeat(3_000) + close.repeat(3_000);

/** What breaks a program that believes its callers, as JSON. */
const anyForm = {
  'an object that is no text': '{"toString":1}',
  'an object without a prototype': '{"__proto__":null,"constructor":1}',
  null: 'null',
  'an empty list': '[]',
  'a list of objects': '[{"toString":1}]',
  'a deep list': deep('[', ']'),
  'a deep object': `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`,
  'an infinite number': '1e999',
  'a number below zero': '-1',
  true: 'true',
  'an empty text': '""',
  'a mark of the keys': '"a#b"',
  'a name of every object': '"__proto__"',
  'half a character': '"\\ud800"',
  'a null character': '"\\u0000"',
  'a long text': JSON.stringify('x'.repeat(3_000)),
} as const;

/** Texts of the table's texts: what is said in the URL is always a text. */
const texts = Object.values(anyForm)
  .map(json => JSON.parse(json) as unknown)
  .filter(value => typeof value === 'string');

const members = Object.keys(bodyMembers) as readonly BodyMember[];
/** Without those that need an identity provider. */
const rows: readonly (readonly [PortalCallId, PortalCall])[] = portalCallIds
  .filter(id => id !== 'sign.in' && id !== 'sign.back')
  .map(id => [id, portalCalls[id]]);
const posts = rows.filter(([, { method }]) => method === 'POST').map(([id]) => id);

/** The parameters that the portal's calls read. */
const queryNames = [
  ...new Set(
    readdirSync('lib/portal', { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => readFileSync(`lib/portal/${name}`, 'utf8'))
      .flatMap(source => [
        ...source.matchAll(/query\['(\w+)'\]/g),
        ...[...source.matchAll(/\{([^{}]*)\} = (?:call\.)?query;/g)].flatMap(([, names = '']) => [
          ...names.matchAll(/(\w+)(?::| =|,| $|$)/g),
        ]),
      ])
      .map(([, name = '']) => name),
  ),
];

let portal: PortalService;
let scene: Scene;

beforeAll(async () => {
  portal = await startPortal();
  scene = await sceneOf(portal.env);
  const { members: people } = operatorPorts(portal.env);
  for (const person of [scene.people.owner, scene.people.guestOwner])
    await people.setOperator(person, true);
});

afterAll(() => portal.close());

/** Every name of a path. What it names exists, where the scene has one. */
const subject = () => ({
  o: scene.house,
  w: scene.workspace,
  c: scene.own,
  m: '00000000-0000-4000-8000-000000000000',
  y: 'yaaaaaaaaaaaa',
  r: 'raaaaaaaaaaaa',
  t: 'taaaaaaaaaaaa',
  l: 'laaaaaaaaaaaa',
});

const ask = (id: PortalCallId, request: Partial<Parameters<PortalService['call']>[1]>) =>
  portal.call(id, { person: scene.people.owner, subject: subject(), ...request });

/** Statuses that are an error of the service, by what was asked. */
const errorsOf = async (asked: readonly (readonly [string, () => ReturnType<typeof ask>])[]) => {
  const found: string[] = [];
  for (const [name, send] of asked) {
    const { status } = await send();
    const failed = portal.errors.splice(0).map(error => ` ${error}`);
    if (status >= 500 || failed.length > 0) found.push(`${status} ${name}${failed}`);
  }
  expect(asked.length).toBeGreaterThan(0);
  return found;
};

const isText = (value: unknown): boolean => typeof value === 'string';

/** What the table says of a value, in the test's own words. */
const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: value => isText(value) && String(value).length <= 256,
  text: isText,
  flag: value => value === true,
  number: value => value === -1,
  texts: value => Array.isArray(value) && value.length === 0,
};

test.each(members)(
  '"%s" of a wrong form is told by its name, and of the right one is read',
  name => {
    for (const json of Object.values(anyForm)) {
      const posted = postedBody(Buffer.from(`{"${name}":${json}}`));
      const value: unknown = JSON.parse(json);
      if (fits[bodyMembers[name]]?.(value)) expect(posted).toEqual({ body: { [name]: value } });
      else expect(posted).toEqual({ problem: expect.stringMatching(`^"${name}" has to be `) });
    }
  },
);

test.each(['', '[]', 'null', '"a"', '{"a":1', '\ufffe'])('the body %j is refused', text => {
  expect(postedBody(Buffer.from(text))).toEqual({ problem: 'The body has to be a JSON object.' });
});

test('a member that no call reads reaches none', () => {
  expect(postedBody(Buffer.from('{"x_id":{"toString":1},"__proto__":{"tier":"high"}}'))).toEqual({
    body: {},
  });
});

test('every call answers a member of a wrong form with 400', async () => {
  const wrong = Object.values(anyForm).slice(0, 3);
  for (const id of posts)
    for (const [at, json] of wrong.entries()) {
      const name = members[(posts.indexOf(id) * wrong.length + at) % members.length];
      const { status, body } = await ask(id, { body: `{"${name}":${json}}` });
      expect([id, status, body['code'], body['message']]).toEqual([
        id,
        400,
        'request.invalid',
        expect.stringContaining(`"${name}"`),
      ]);
    }
});

test('no call of a guest or of the house fails, whatever is posted', async () => {
  const hostile = Object.entries(anyForm);
  const asked = posts.flatMap(id =>
    [scene.people.owner, scene.people.guestOwner].flatMap(person =>
      hostile.map(([name, json]) => {
        const value: unknown = JSON.parse(json);
        const own = members.filter(member => fits[bodyMembers[member]]?.(value));
        const body = `{"x_id":${json}${own.map(member => `,"${member}":${json}`).join('')}}`;
        const c = person === scene.people.owner ? scene.own : scene.producers[0];
        return [
          `${id} ${name}`,
          () => ask(id, { person, subject: { ...subject(), c: c ?? '' }, body }),
        ] as const;
      }),
    ),
  );
  expect(await errorsOf(asked)).toEqual([]);
});

test('no call fails, whatever its URL says', async () => {
  expect(queryNames).toEqual(
    expect.arrayContaining(['after', 'before', 'q', 'around', 'correlation', 'range']),
  );
  const others = ['9999-12-31T23:59:59.999Z', '2026-02-30T00:00:00.000Z'];
  const gets = rows.filter(([, { method }]) => method === 'GET');
  const asked = gets.flatMap(([id]) =>
    [...texts.slice(2), ...others].flatMap(value =>
      queryNames.map(
        name =>
          [
            `${id} ${name}=${value.slice(0, 30)}`,
            () => ask(id, { query: { [name]: value } }),
          ] as const,
      ),
    ),
  );
  expect(await errorsOf(asked)).toEqual([]);
});

test('no call fails, whatever its path names', async () => {
  const asked = rows.flatMap(([id, { path }]) =>
    [...path.matchAll(/\{(\w)\}/g)].flatMap(([, name = '']) =>
      texts
        .filter(text => !text.includes('/'))
        .map(
          text =>
            [
              `${id} ${name}=${text.slice(0, 30)}`,
              () => ask(id, { subject: { ...subject(), [name]: text }, body: '{}' }),
            ] as const,
        ),
    ),
  );
  expect(await errorsOf(asked)).toEqual([]);
});
