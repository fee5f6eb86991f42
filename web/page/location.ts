import {
  type PageNames,
  type PortalPage,
  pageAt,
  pathOfPage,
} from '../../lib/contract/portal/portal-pages.ts';
import { cell, derived } from './cell.ts';

/** Where in the portal the reader is: the path below the portal's own URL, and the filters. */
interface PageLocation {
  readonly path: string;
  readonly filters: URLSearchParams;
}

/**
 * The portal's own URL: its shell says it, because a stage of API Gateway may stand before the
 * path.
 */
const base = document.querySelector<HTMLMetaElement>('meta[name="portal-base"]')?.content ?? '';

/** A path as the portal's own; undefined if it is none of the portal's. */
const pathBelow = (pathname: string): string | undefined => {
  if (!`${pathname}/`.startsWith(`${base}/`)) return undefined;
  const path = pathname.slice(base.length).replace(/\/$/, '');
  return path === '' ? '/' : path;
};

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
  const given = Object.entries(wanted).filter(([, value]) => value !== '');
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  // `Names` asks for them where there are any
  const path = pathOfPage(page, (names ?? {}) as PageNames<P>);
  return `${base}${path}${query}`;
};

/**
 * Goes to a URL of the portal. The reader's focus follows: a screen reader announces the new
 * heading.
 */
export const goTo = (url: string): void => {
  history.replaceState({ scrollY }, '');
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
  history.replaceState(history.state, '', `${location.pathname}${query}${location.hash}`);
  shown.value = shownIn(location);
};

/** A click that the browser would follow in the same tab. */
const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** Whether a link leads to another page of the portal. */
const leadsToPage = (link: HTMLAnchorElement): boolean => {
  if (link.origin !== location.origin) return false;
  if (link.target !== '' || link.hasAttribute('download')) return false;
  const isWithinPage = link.pathname === location.pathname && link.hash !== '';
  if (isWithinPage) return false;
  const path = pathBelow(link.pathname);
  return path !== undefined && pageAt(path) !== undefined;
};

/** How long a page may take until it is as long as it was. */
const restoreMilliseconds = 5_000;

/**
 * Scrolls to where the reader was, as soon as the page is long enough; not any more once the reader
 * does something.
 */
const scrollBackTo = (top: number): void => {
  const stop = new AbortController();
  const turn = () => {
    if (stop.signal.aborted) return;
    scrollTo({ top });
    if (Math.abs(scrollY - top) < 2) stop.abort();
  };

  const watch = new ResizeObserver(turn);
  watch.observe(document.body);
  stop.signal.addEventListener('abort', () => watch.disconnect());
  for (const name of ['wheel', 'keydown', 'pointerdown', 'popstate'])
    addEventListener(name, () => stop.abort(), { once: true, signal: stop.signal });
  setTimeout(() => stop.abort(), restoreMilliseconds);
};

const scrollIn = (state: unknown): number => {
  if (typeof state !== 'object' || state === null) return 0;
  const top: unknown = Reflect.get(state, 'scrollY');
  return typeof top === 'number' ? top : 0;
};

/** Lets links within the portal change the page without loading it again. */
export const followLinks = (): void => {
  history.scrollRestoration = 'manual';
  addEventListener('popstate', ({ state }) => {
    shown.value = shownIn(location);
    scrollBackTo(scrollIn(state));
  });
  document.addEventListener('click', event => {
    if (event.defaultPrevented || !isPlainClick(event)) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || !leadsToPage(link)) return;
    event.preventDefault();
    goTo(link.href);
  });
};
