import { alertInWords } from '../../../lib/contract/portal/alerts.ts';
import { checkKinds } from '../../../lib/contract/portal/checks.ts';
import {
  type Access,
  includesRole,
  isRole,
  mayCall,
  type Role,
  type Standing,
} from '../../../lib/contract/portal/portal.ts';

const everyRole: readonly Role[] = ['viewer', 'editor', 'owner'];

test.each<[Role | undefined, readonly Role[]]>([
  [undefined, []],
  ['viewer', ['viewer']],
  ['editor', ['viewer', 'editor']],
  ['owner', ['viewer', 'editor', 'owner']],
])('the role %s may do what %j may', (role, included) => {
  expect(everyRole.filter(wanted => includesRole(role, wanted))).toEqual(included);
});

test('there are three roles', () => {
  expect(['viewer', 'editor', 'owner', 'operator', ''].filter(isRole)).toEqual(everyRole);
});

const nobody = undefined;
const stranger: Standing = {};

test.each<[string, Access, Standing | undefined, boolean]>([
  ['anybody', 'anybody', nobody, true],
  ['anybody who is signed in', 'person', nobody, false],
  ['anybody who is signed in', 'person', stranger, true],
  ['an editor', { own: 'editor' }, nobody, false],
  ['an editor', { own: 'editor' }, stranger, false],
  ['an editor', { own: 'editor' }, { own: 'viewer' }, false],
  ['an editor', { own: 'editor' }, { own: 'editor' }, true],
  ['an editor', { own: 'editor' }, { invited: 'owner' }, false],
  ['an editor', { own: 'editor' }, { operator: true }, false],
  ['who is invited', { own: 'editor', invited: 'viewer' }, { invited: 'viewer' }, true],
  ['who is invited', { own: 'editor', invited: 'viewer' }, { own: 'viewer' }, false],
  ['the operator', { operator: true }, { operator: true }, true],
  ['the operator', { operator: true }, { own: 'owner', invited: 'owner' }, false],
  ['the operator too', { own: 'viewer', operator: true }, { operator: true }, true],
  ['nobody', {}, { own: 'owner', operator: true }, false],
])('what is for %s: %j, with the standing %j: %s', (_what, access, standing, may) => {
  expect(mayCall(access, standing)).toBe(may);
});

test.each([
  ['message_waits', 1, 'A message waits longer than 1 minute'],
  ['message_waits', 2, 'A message waits longer than 2 minutes'],
  ['refusals', 1, 'A producer is refused more than 1 time within an hour'],
  ['refusals', 0, 'A producer is refused more than 0 times within an hour'],
  ['secret_ends', 1, 'A replaced secret ends within 1 hour'],
  ['test_run_ended', 0, 'A test run has ended'],
] as const)('the alert %s at %i is told as: %s', (kind, threshold, words) => {
  expect(alertInWords({ kind, threshold })).toBe(words);
});

test('producers, consumers and executors are checked', () => {
  expect(checkKinds).toEqual(['producer', 'consumer', 'executor']);
});
