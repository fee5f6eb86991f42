import { type PageNames, type PortalPage, pageAt, pathOfPage } from '../../lib/contract/portal-pages.ts';
import { cell, derived } from './cell.ts';

/** Where in the portal the reader is: the path below the portal's own URL, and the filters. */
interface PageLocation {
  readonly path: string;
  readonly filters: URLSearchParams;
}

/** The portal's own URL: its shell says it, because a stage of API Gateway may stand before the path. */
const base = document.querySelector<HTMLMetaElement>('meta[name="portal-base"]')?.content ?? '';

const pathBelow = (pathname: string): string | undefined =>
  `${pathname}/`.startsWith(`${base}/`) ? pathname.slice(base.length).replace(/\/$/, '') || '/' : undefined;

const shownIn = ({ pathname, search }: Location): PageLocation => ({
  path: pathBelow(pathname) ?? '/',
  filters: new URLSearchParams(search),
});

const shown = cell(shownIn(location));

export const filters = derived([shown], () => shown.value.filters);

/** Which page the reader is at; undefined if there is none. */
export const here = derived([shown], () => pageAt(shown.value.path));

/** The URL of anything of the portal that is not a page: a call, the reference. */
export const urlBelow = (path: `/${string}`): string => `${base}${path}`;

type Names<P extends PortalPage> = keyof PageNames<P> extends never
  ? [names?: undefined, filters?: Readonly<Record<string, string>>]
  : [names: PageNames<P>, filters?: Readonly<Record<string, string>>];

/** The URL of a page, for links. */
export const urlOf = <P extends PortalPage>(page: P, ...[names, wanted = {}]: Names<P>): string => {
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== '')).toString();
  const path = pathOfPage(page, (names ?? {}) as PageNames<P>); // `Names` asks for them where there are any
  return `${base}${path}${query === '' ? '' : `?${query}`}`;
};

/** Goes to a URL of the portal. The reader's focus follows: a screen reader announces the new heading. */
export const goTo = (url: string): void => {
  history.pushState(null, '', url);
  shown.value = shownIn(location);
  scrollTo(0, 0);
};

/** Changes the filters of this page without a new entry in the history. */
export const setFilters = (changes: Readonly<Record<string, string>>): void => {
  const next = new URLSearchParams(filters.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const query = next.size === 0 ? '' : `?${next}`;
  history.replaceState(null, '', `${location.pathname}${query}${location.hash}`);
  shown.value = shownIn(location);
};

/** A click that the browser would follow in the same tab. */
const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** Whether a link leads to another page of the portal. */
const leadsToPage = (link: HTMLAnchorElement): boolean => {
  const path = link.origin === location.origin ? pathBelow(link.pathname) : undefined;
  const isPage = path !== undefined && pageAt(path) !== undefined;
  const isHere = link.pathname === location.pathname && link.hash !== '';
  return isPage && !isHere && link.target === '' && !link.hasAttribute('download');
};

/** Lets links within the portal change the page without loading it again. */
export const followLinks = (): void => {
  addEventListener('popstate', () => {
    shown.value = shownIn(location);
  });
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || event.defaultPrevented || !isPlainClick(event) || !leadsToPage(link)) return;
    event.preventDefault();
    goTo(link.href);
  });
};
