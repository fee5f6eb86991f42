import {
  type PortalPage,
  pageAt,
  pathOfPage,
  portalPages,
} from '../../../lib/contract/portal/portal-pages.ts';

const pages = Object.keys(portalPages) as readonly PortalPage[]; // the keys of the table

test.each(pages)('the page %s is found at its path, with the names in it', page => {
  const wanted = [...portalPages[page].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const names = Object.fromEntries(wanted.map(name => [name, `${name}/é ${page}`]));
  expect(pageAt(pathOfPage(page, names as never))).toEqual({ page, names });
});

test('a name in a path is encoded', () => {
  expect(pathOfPage('run', { w: 'w1', c: 'a/b', t: 'é' })).toBe('/workspaces/w1/runs/a%2Fb/%C3%A9');
});

test.each([
  '',
  '/nowhere',
  '/workspaces/w1',
  '/workspaces/w1/activity/more',
  '/workspaces//activity',
  '/workspaces/%E0%A4%A/activity',
  '/organisations/',
])('no page is at %j', path => {
  expect(pageAt(path)).toBeUndefined();
});
