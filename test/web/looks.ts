import { problemsOf, type Visitor } from './portal-in-browser.ts';

/** Pages by name: their URLs, and what shows that each is loaded. */
export type PagesToLookAt = Readonly<Record<string, () => readonly [path: string, ready: string]>>;

/** What depends on size and color is looked at twice. The last is how other tests see the page. */
const looks = [
  { width: 360, colorScheme: 'dark', rules: ['color-contrast', 'target-size'] },
  { width: 1440, colorScheme: 'light', rules: [] },
] as const;

/** Looks at every page, on a phone by night and on a desk by day. */
export const describeLooks = (visitor: () => Visitor, pages: PagesToLookAt): void =>
  test.each(Object.keys(pages))(
    '%s is accessible, fits, and has the focus on its heading',
    async name => {
      const { page, open } = visitor();
      const [path, ready] = pages[name]?.() ?? ['', ''];
      await open(path);
      await page.waitForSelector(ready);
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
      for (const { width, colorScheme, rules } of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        expect(await problemsOf(page, ...rules)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
          width,
        );
      }
    },
  );
