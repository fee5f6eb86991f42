import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { browserHost, signInLink } from '../../lib/local/sign-in.ts';
import { openBrowser, patience } from '../support/browser.ts';
import { type SharedService, serviceHere, withoutReplayLag } from '../support/one-service.ts';

const axe = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** Leaves a page for another one of the portal. */
const follow = (href: string) => `{
  for (const heading of document.querySelectorAll('h1')) heading.dataset.left = '';
  history.pushState(null, '', ${JSON.stringify(href)});
  dispatchEvent(new PopStateEvent('popstate'));
}`;

/** What a page should never do: each is noted, and fails the test. */
const watch = (page: Page, errors: string[]): void => {
  page.on('pageerror', error => errors.push(`error: ${error.message}`));
  page.on('console', message => {
    // A browser reports every response of 400 and above; the tests look at these themselves.
    const isReaction = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isReaction) errors.push(`console: ${message.text()}`);
  });
};

/** Somebody with a browser of his own. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a page of the portal, and waits until its heading is there. */
  open(path: string): Promise<void>;
  /**
   * Signs out, and leaves the browser to the next visitor: it need not read the pages' scripts
   * again.
   */
  leave(): Promise<void>;
}

const desk = { width: 1440, height: 900 } as const;

/** The portal of a running service, in a real browser. */
const portalInBrowser = (bus: SharedService) => {
  let browser: Browser;
  let count = 0;
  const errors: string[] = [];
  const spare: Visitor[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(() => expect(errors.splice(0)).toEqual([]));
  afterAll(() => browser.close());

  const url = (path: string): string => {
    const url = new URL(path, bus.ready.portal_url);
    url.hostname = browserHost(operatorKeyIn(bus.data));
    return url.href;
  };

  /** A link that signs a person in, and leads to a page. */
  const link = (name: string, to = '/'): string => {
    count += 1;
    const facts = { name, now: Date.now() - count };
    return `${signInLink(bus.ready.portal_url, operatorKeyIn(bus.data), facts)}&to=${encodeURIComponent(to)}`;
  };

  /** In a browser that knows nothing yet. */
  const newcomer = async (): Promise<Visitor> => {
    const context = await browser.newContext({ viewport: desk, reducedMotion: 'reduce' });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    watch(page, errors);
    const open = async (path: string) => {
      const [at, to] = [new URL(page.url()), new URL(url(path))];
      // As a link of the pages does: to load the scripts again takes three times as long.
      const isLink = at.origin === to.origin && at.pathname !== to.pathname;
      if (isLink) await page.evaluate(follow(to.href));
      else await page.goto(to.href);
      await page.waitForSelector('h1:not([data-left])');
    };
    const leave = async () => {
      await page.evaluate('localStorage.clear(); sessionStorage.clear()');
      await Promise.all(
        context.pages().map(one => (one === page ? one.unrouteAll() : one.close())),
      );
      await context.clearCookies();
      await page.setViewportSize(desk);
      await page.goto('about:blank');
      spare.push(one);
    };
    const one = { page, context, open, leave };
    return one;
  };

  const visitor = async (): Promise<Visitor> => spare.pop() ?? newcomer();

  return {
    url,
    link,
    newcomer,
    visitor,
    /** A person who is signed in. */
    async signedIn(name = 'owner', to = '/'): Promise<Visitor> {
      const one = await visitor();
      await one.page.goto(link(name, to));
      await one.page.waitForSelector('h1');
      return one;
    },
  };
};

/** A service in this process and its portal in a browser, which the parts of a file share. */
export const webStage = () => {
  withoutReplayLag();
  const bus = serviceHere();
  return { bus, portal: portalInBrowser(bus) };
};

export type WebStage = ReturnType<typeof webStage>;

/**
 * What axe finds wrong on a page (WCAG 2.2, and its own best practices), or what some of its rules
 * find.
 */
export const problemsOf = async (
  page: Page,
  ...runOnly: readonly string[]
): Promise<readonly string[]> => {
  const options = {
    resultTypes: ['violations'],
    preload: false,
    ...(runOnly.length > 0 && { runOnly }),
  };
  // A page to which only a link led has it still.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  return page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`,
  );
};

/** Ends the session by the person's own menu. */
export const signOut = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in to som-bus' }).waitFor();
};

/** Chooses one entry of a list: the field is found by its label, as a person finds it. */
export const choose = async (
  within: Page | Locator,
  label: string | RegExp,
  option: string | RegExp,
) => {
  const page = 'page' in within ? within.page() : within;
  await within.getByLabel(label).first().click();
  // Of the one that is chosen already, a screen reader hears so: its text is the same.
  await page.getByRole('option').filter({ hasText: option }).first().click();
};

/** Chooses several, and closes the list. */
export const chooseTypes = async (page: Page, label: string, types: readonly string[]) => {
  await page.getByRole('button', { name: label }).first().click();
  for (const type of types)
    await page.getByRole('option', { name: type, exact: false }).first().click();
  await page.keyboard.press('Escape');
};
