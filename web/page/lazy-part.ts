import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Stylesheets that the first paint does not need, by the names that the shell has for them. */
const sheets = { later: ['portal-later'], pages: ['portal-later', 'portal-pages'] } as const;

const loaded = new Map<string, Promise<void>>();

const load = (name: string): Promise<void> =>
  new Promise(done => {
    const href = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
    if (href === undefined) return done();
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
    // Without its styles a part can still be read.
    link.onload = () => done();
    link.onerror = () => done();
    document.head.append(link);
  });

const styled = (name: string): Promise<void> => {
  const known = loaded.get(name) ?? load(name);
  loaded.set(name, known);
  return known;
};

/**
 * A component whose code is fetched when it is first shown, with the styles of the first page's
 * later parts, or of all pages.
 */
export const lazyPart = <Props>(
  find: () => Promise<ComponentType<Props>>,
  styles: keyof typeof sheets = 'pages',
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => {
    const [found] = await Promise.all([find(), ...sheets[styles].map(styled)]);
    return { default: found };
  });
