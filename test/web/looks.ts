import { problemsOf, type Visitor } from './portal-in-browser.ts';

/** Pages by name: their URLs, and what shows that each is loaded. */
export type PagesToLookAt = Readonly<Record<string, () => readonly [path: string, ready: string]>>;

const looks = [
  { width: 1440, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const;

/** Looks at every page, on a desk by day and on a phone by night. */
export const describeLooks = (visitor: () => Visitor, pages: PagesToLookAt): void =>
  describe.each(looks)('$width px wide and $colorScheme', ({ width, colorScheme }) => {
    afterAll(async () => {
      await visitor().page.setViewportSize({ width: 1440, height: 900 });
    });

    test.each(Object.keys(pages))('%s is accessible, fits, and has the focus on its heading', async name => {
      const { page, open } = visitor();
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const [path, ready] = pages[name]?.() ?? ['', ''];
      await open(path);
      await page.waitForSelector(ready);
      expect(await problemsOf(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    });
  });
