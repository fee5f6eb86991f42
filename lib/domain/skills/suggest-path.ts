import { nearest } from './nearest.ts';
import { allowedNames, type Shape, unwrap } from './story-shape.ts';

/** A path's bare names: no brackets or what they hold, no quotes, no spaces, no empty names, no old prefix. */
const bareNames = (path: string): string[] => {
  const names = path
    .replace(/\[[^[\]]*\]/g, '')
    .replace(/["'\s]/g, '')
    .split('.')
    .filter(name => name !== '');
  return names.length > 1 && ['story', 'story_context'].includes(names[0] ?? '') ? names.slice(1) : names;
};

const respell = (shape: Shape, [name, ...rest]: readonly string[]): string | undefined => {
  if (name === undefined || shape.kind !== 'object') return undefined;
  const known = nearest(name, allowedNames(shape.members));
  const member = known === undefined ? undefined : shape.members.get(known);
  if (!member) return undefined;
  const { shape: inner, brackets } = unwrap(member);
  const deeper = rest.length === 0 ? '' : respell(inner, rest);
  if (deeper === undefined) return undefined;
  return deeper === '' ? `${known}${brackets}` : `${known}${brackets}.${deeper}`;
};

/** The only path that ends in these names. */
const endingIn = (names: readonly string[], all: readonly string[]): string | undefined => {
  const ending = `.${names.join('.')}`;
  const [only, ...others] = all.filter(path => `.${path.replaceAll('[]', '')}`.endsWith(ending));
  return others.length === 0 ? only : undefined;
};

/** The declared path that was probably meant by a text that is none: respelt name by name, or by how it ends. */
export const suggestPath = (path: string, shape: Shape, all: readonly string[]): string | undefined => {
  const names = bareNames(path);
  return names.length === 0 ? undefined : (respell(shape, names) ?? endingIn(names, all));
};
