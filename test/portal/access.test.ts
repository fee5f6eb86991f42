import { readFileSync } from 'node:fs';
import { type PortalCallId, portalCallIds, portalCalls } from '../../lib/contract/portal/portal.ts';
import { pageCalls, portalHere } from './portal-people.ts';

const portal = portalHere();

/** The table of docs/portal-access.md: by call and person, whether the call is allowed. */
const [head = [], , ...rows] = readFileSync('docs/portal-access.md', 'utf8')
  .split('\n')
  .filter(line => line.startsWith('|'))
  .map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
const people = head.slice(1);
const table = new Map(
  rows.map(([call = '', ...cells]) => [
    call.replaceAll('`', ''),
    people.filter((_, at) => cells[at] === 'yes'),
  ]),
);
const mayMake = (person: string, id: PortalCallId): boolean =>
  table.get(id)?.includes(person) ?? false;

/** Calls about things that do not exist here. */
const aboutThings: readonly PortalCallId[] = [
  'workspace.message',
  'workspace.content',
  'queue.replay',
  'queue.cancelReplay',
  'skill.show',
  'check.show',
  'check.stop',
  'alert.change',
  'alert.test',
  'alert.delete',
];

/** Every call as one person, signing out at the end. */
const statusesOf = async (person: string): Promise<ReadonlyMap<string, number>> => {
  const { bus, made } = portal;
  const names = {
    o: made.organisation,
    w: bus.ready.workspace,
    m: '00000000-0000-4000-8000-000000000000',
    y: 'yaaaaaaaaaaaa',
    r: 'raaaaaaaaaaaa',
    t: 'taaaaaaaaaaaa',
    l: 'laaaaaaaaaaaa',
    // Everybody asks for a connection of the own side.
    c: person.startsWith('invited') ? made.guest : made.own,
  };
  const calls = await pageCalls(bus, person);
  const found = new Map<string, number>();
  for (const id of [...portalCallIds.filter(one => one !== 'sign.out'), 'sign.out' as const]) {
    const response = await calls(id, { subject: names });
    const { code = '' } =
      response.status === 303 ? {} : ((await response.json()) as { code?: string });
    const isAccess = ['session.required', 'access.denied', 'portal.not_found'].includes(code);
    // A message or replay that does not exist is none of the table's business.
    const isThing = aboutThings.includes(id) && mayMake(person, id);
    found.set(id, isAccess && !isThing ? response.status : 200);
  }
  return found;
};

/** How somebody is refused: he may know that the thing exists only if he has a standing there. */
const refusalOf = (person: string, id: PortalCallId): number => {
  if (person === 'signed out') return 401;
  const isStranger = ['in no organisation', 'owner elsewhere'].includes(person);
  // To an organisation, its vendors are strangers.
  const isUnknown =
    person.startsWith('invited') &&
    (portalCalls[id].path.includes('{o}') || /^(organisation|operator)\./.test(id));
  const isMember = ['viewer', 'editor', 'owner'].includes(person) && id.startsWith('operator.');
  return isStranger || isUnknown || isMember ? 404 : 403;
};

test('the table names every call once', () => {
  expect([...table.keys()]).toEqual(Object.keys(portalCalls));
});

test.each(people)('%s may make exactly the calls of the table', async person => {
  const statuses = await statusesOf(person);
  const expected = portalCallIds.map(id => [id, mayMake(person, id) ? 200 : refusalOf(person, id)]);
  expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(expected));
});
