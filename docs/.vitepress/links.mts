import { statSync } from 'node:fs';
import { extname, join } from 'node:path/posix';
import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** The files that pages link to, from the project's folder: the site carries them below `files`. */
export const linkedFiles = new Set<string>();

const isExternal = (href: string): boolean => /^([a-z]+:|#|\/)/.test(href);

/** Where a link leads on the site; undefined if what it leads to is in the repository only. */
const addressOnSite = (href: string, page: string): string | undefined => {
  const [path = '', fragment] = href.split('#');
  const target = join('docs', page, '..', path);
  const isPage = target.startsWith('docs/') && extname(path) === '.md';
  // VitePress knows the pages by the names that they have on the site.
  if (isPage) return [path.replace(/README\.md$/, 'index.md'), fragment].filter(Boolean).join('#');
  if (!['.json', '.yaml'].includes(extname(path)) || !statSync(target).isFile()) return undefined;
  linkedFiles.add(target);
  return `/files/${target}`;
};

/** Takes away a link, but not its words. */
const unlink = (tokens: readonly Token[], opening: number): void => {
  const closing = tokens.findIndex(({ type }, index) => index > opening && type === 'link_close');
  for (const token of [tokens[opening], tokens[closing]])
    Object.assign(token ?? {}, { type: 'text', tag: '', nesting: 0, content: '' });
};

/** Leads the links of the repository's pages to pages and files of the site. */
export const linksOutside = (markdown: MarkdownRenderer): void => {
  markdown.core.ruler.push('links-outside', ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const [index, token] of (children ?? []).entries()) {
        const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : '#';
        if (isExternal(href)) continue;
        const address = addressOnSite(href, env.relativePath);
        if (address === undefined) unlink(children ?? [], index);
        else token.attrSet('href', address);
      }
  });
};
