import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Stylesheets that the first paint does not need, by the names that the shell has for them. */
const sheets = { later: ['portal-later'], pages: ['portal-later', 'portal-pages'] } as const;

const loaded = new Map<string, Promise<void>>();

const load = async (name: string): Promise<void> => {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
  if (meta === null) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = meta.content;
  await new Promise<void>(done => {
    link.onload = () => done();
    // Without its styles a part can still be read.
    link.onerror = () => done();
    document.head.append(link);
  });
};

const loadOnce = (name: string): Promise<void> => {
  const loading = loaded.get(name) ?? load(name);
  loaded.set(name, loading);
  return loading;
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
    const [found] = await Promise.all([find(), ...sheets[styles].map(loadOnce)]);
    return { default: found };
  });
