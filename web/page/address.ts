import { computed, signal } from '@preact/signals';

/** Where in the portal the reader is: the path below the portal's own address, and the filters. */
interface Place {
  readonly path: string;
  readonly filters: URLSearchParams;
}

/** The portal's own address: its shell says it, because a stage of API Gateway may stand before the path. */
const base = (document.querySelector<HTMLMetaElement>('meta[name="portal-base"]')?.content ?? '').replace(
  /\/$/,
  '',
);

const placeIn = ({ pathname, search }: Location): Place => ({
  path: pathname.startsWith(base) ? pathname.slice(base.length).replace(/\/$/, '') || '/' : '/',
  filters: new URLSearchParams(search),
});

const place = signal(placeIn(location));

export const path = computed(() => place.value.path);
export const filters = computed(() => place.value.filters);

/** The address of a page, for links. */
export const addressOf = (to: string): string => `${base}${to}`;

/** Goes to a page. The reader's focus follows: a screen reader announces the new heading. */
export const goTo = (to: string): void => {
  history.pushState(null, '', addressOf(to));
  place.value = placeIn(location);
  scrollTo(0, 0);
};

/** Changes the filters of this page without a new entry in the history. */
export const setFilter = (name: string, value: string): void => {
  const next = new URLSearchParams(filters.value);
  if (value === '') next.delete(name);
  else next.set(name, value);
  const query = next.size === 0 ? '' : `?${next}`;
  history.replaceState(null, '', `${location.pathname}${query}${location.hash}`);
  place.value = placeIn(location);
};

/** A click that the browser would follow in the same tab. */
const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** The path of a link that stays within the portal. */
const pathOfLink = (target: EventTarget | null): string | undefined => {
  const link = target instanceof Element ? target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download')) return undefined;
  const isOurs = link.origin === location.origin && `${link.pathname}/`.startsWith(`${base}/`);
  const isHere = link.pathname === location.pathname && link.hash !== '';
  return isOurs && !isHere ? `${link.pathname.slice(base.length)}${link.search}` : undefined;
};

/** Lets links within the portal change the page without loading it again. */
export const followLinks = (): void => {
  addEventListener('popstate', () => {
    place.value = placeIn(location);
  });
  document.addEventListener('click', event => {
    const to = isPlainClick(event) && !event.defaultPrevented ? pathOfLink(event.target) : undefined;
    if (to === undefined) return;
    event.preventDefault();
    goTo(to);
  });
};

/** The parts of the path that stand for `:names` in a pattern; undefined if it does not match. */
export const match = (pattern: string, actual: string): Readonly<Record<string, string>> | undefined => {
  const [expected, found] = [pattern.split('/'), actual.split('/')];
  if (expected.length !== found.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, name] of expected.entries()) {
    const segment = found[index] ?? '';
    if (name.startsWith(':')) parts[name.slice(1)] = decodeURIComponent(segment);
    else if (name !== segment) return undefined;
  }
  return parts;
};
