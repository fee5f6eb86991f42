import { signal } from '@preact/signals';
import { type ComponentChild, render } from 'preact';
import { addressOf, followLinks, path } from './page/address.ts';
import { Page } from './page/elements.tsx';
import { Frame } from './page/frame.tsx';

const NotFound = () => (
  <Page title="There is no such page">
    <p>
      Perhaps it has moved. <a href={addressOf('/')}>Start at the beginning</a>.
    </p>
  </Page>
);

/** A part of the portal, fetched when its first page is opened; it shows the page at a path, if it has one. */
type Part = (path: string) => ComponentChild | undefined;

const parts = {
  '/skills': async (): Promise<Part> => (await import('./skills/skills-part.tsx')).skillsPart,
} as const;

type PartName = keyof typeof parts;

const loaded = signal<Partial<Record<PartName, Part>>>({});

const partAt = (at: string): PartName | undefined => {
  if (at === '/') return '/skills';
  const names = Object.keys(parts) as PartName[]; // of a literal: it has no other keys
  return names.find(name => at === name || at.startsWith(`${name}/`));
};

const load = async (name: PartName): Promise<void> => {
  loaded.value = { ...loaded.value, [name]: await parts[name]() };
};

const Current = () => {
  const name = partAt(path.value);
  if (name === undefined) return <NotFound />;
  const part = loaded.value[name];
  if (part) return <>{part(path.value) ?? <NotFound />}</>;
  void load(name);
  return <p class="quiet">Loading…</p>;
};

followLinks();
render(
  <Frame>
    <Current />
  </Frame>,
  document.body,
);
