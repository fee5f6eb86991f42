import { createHash } from 'node:crypto';
import { type PortalPage, portalPages } from '../../lib/contract/portal/portal-pages.ts';
import { pageTitles, workspacePlaces } from '../../web/places.ts';

/** What is painted before any file of the pages has come: as they look, and where they stand. */
const style = `
#shell{position:fixed;inset:0;overflow:hidden;z-index:2000;
--ink:light-dark(#131a1b,#e4ebec);--quiet:light-dark(#55666a,#a2b3b6);
--line:light-dark(#d3dcdd,#37484a);--bone:light-dark(#e6ecec,#232d2e);
background:light-dark(#fbfcfc,#0f1516);color:var(--ink);
font:14px/20px Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
#shell header{box-sizing:border-box;height:57px;padding:12px 32px;background:#0b2a2e}
#shell header svg{display:block}
#shell .bar,#shell nav{background:light-dark(#fff,#161d1e)}
#shell .bar{box-sizing:border-box;height:42px;border-block-end:1px solid var(--line)}
#shell nav{position:absolute;inset:99px auto 0 0;box-sizing:border-box;width:230px;
padding:14px 12px;border-inline-end:1px solid var(--line)}
#shell nav a,#shell nav span{display:block;padding:6px 8px 6px 32px;border-radius:6px;
color:var(--quiet);font-weight:500;text-decoration:none}
#shell nav [aria-current]{background:light-dark(#e9f5f5,#12292c);
color:light-dark(#08676f,#5cc8cf);font-weight:700}
#shell nav hr{margin:18px 0;border:0;border-block-start:1px solid var(--line)}
#shell main{position:absolute;inset:99px 0 0 230px;padding:12px 25px 0}
#shell .title{margin:0 0 42px;font-size:24px;line-height:30px;font-weight:700}
#shell .bone{height:128px;max-width:1280px;margin-block-end:20px;border-radius:10px;
background:var(--bone)}
@media (width <= 900px){#shell nav{display:none}#shell main{inset-inline-start:0}}
`;

/** Whoever chose light or dark in this browser sees it at once. */
const themeScript = `
try{const theme=localStorage.getItem("theme");
if(theme==="light"||theme==="dark")document.documentElement.style.colorScheme=theme}catch{}
`;

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** What the content security policy allows of the shell itself, and nothing else in the page. */
export const shellHashes = { style: hashOf(style), script: hashOf(themeScript) };

interface NavigationEntry {
  readonly text: string;
  /** Absent: where it leads is not known before the pages have asked. */
  readonly path?: string;
  readonly isHere?: boolean;
}

const entryLine = ({ text, path, isHere = false }: NavigationEntry): string => {
  const here = isHere ? ' aria-current="page"' : '';
  if (path === undefined) return `<span${here}>${text}</span>`;
  return `<a href="{base}${path}"${here}>${text}</a>`;
};

/** Pages that somebody sees who belongs to no workspace yet. */
const outside: ReadonlySet<PortalPage | undefined> = new Set([
  'join',
  'signedIn',
  'signInFailed',
] as const);

const navigationOf = (page: PortalPage | undefined): string => {
  const isInWorkspace = page !== undefined && portalPages[page].includes('{w}');
  const places = workspacePlaces.map(one => ({
    text: one.text,
    ...(isInWorkspace ? { path: portalPages[one.page] } : {}),
    isHere: one.pages.some(own => own === page),
  }));
  const home = { text: pageTitles.home, path: portalPages.home, isHere: page === 'home' };
  const skills = { text: pageTitles.skills, path: portalPages.skills, isHere: page === 'skills' };
  const own = outside.has(page) ? [home] : [home, ...places];
  const others = [skills, { text: 'Documentation', path: '/docs' }];
  const lines = (of: readonly NavigationEntry[]) => of.map(entryLine).join('\n');
  return `${lines(own)}\n<hr>\n${lines(others)}`;
};

/** The files that a shell names. */
export interface ShellFiles {
  readonly script: string;
  readonly sheets: readonly string[];
  readonly icon: string;
  readonly preloads: readonly string[];
  /** SVG. */
  readonly wordmark: string;
}

const shellOf = (page: PortalPage | undefined, files: ShellFiles): string => {
  const { script, sheets, icon, preloads, wordmark } = files;
  const [first = '', later = '', pages = ''] = sheets;
  const title = page === undefined ? 'Page not found' : pageTitles[page];
  const url = (name: string) => `{base}/assets/${name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="portal-base" content="{base}">
<meta name="portal-later" content="${url(later)}">
<meta name="portal-pages" content="${url(pages)}">
<title>${title} – som-bus</title>
<style>${style}</style>
<script>${themeScript}</script>
<link rel="icon" type="image/svg+xml" href="${url(icon)}">
</head>
<body>
<div id="shell">
<header>${wordmark}</header>
<div class="bar"></div>
<nav aria-label="Portal">
${navigationOf(page)}
</nav>
<main aria-busy="true">
<p class="title">${title}</p>
<noscript>The portal needs JavaScript. The command line does the same: sombus --help.</noscript>
<div class="bone"></div>
<div class="bone"></div>
</main>
</div>
<link rel="stylesheet" href="${url(first)}">
${preloads.map(name => `<link rel="modulepreload" href="${url(name)}">`).join('\n')}
<script type="module" src="${url(script)}"></script>
</body>
</html>
`;
};

/**
 * Each page before its script runs: navigation, title and where its content will be, with `{base}`
 * and `{w}` for the portal's own URL and a workspace. It is the same for everybody, so that it says
 * nothing about who is signed in. The stylesheet comes after it: what stands before is painted
 * while it is on its way.
 */
export const shellsOf = (files: ShellFiles): Readonly<Record<string, string>> => {
  const pages = Object.keys(portalPages) as PortalPage[];
  const shells = pages.map(page => [page, shellOf(page, files)]);
  return { ...Object.fromEntries(shells), none: shellOf(undefined, files) };
};
