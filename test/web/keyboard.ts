import type { Page } from 'playwright-core';

/** What a screen reader calls the element that has the focus. */
const focusedName = `(() => {
  const { activeElement: one } = document;
  const label = one.labels?.[0]?.innerText ?? '';
  const ids = (one.getAttribute('aria-labelledby') ?? '').split(' ');
  const named = ids.map(id => document.getElementById(id)?.innerText ?? '').join(' ').trim();
  return (one.getAttribute('aria-label') ?? (label || named || one.innerText || '')).trim();
})()`;

/** More stops than any page has. */
const maxStops = 200;

/** A person who has a keyboard only. */
export const keyboardOf = (page: Page) => {
  /** Goes on with Tab until something of this name has the focus. */
  const reach = async (name: string | RegExp, key = 'Tab'): Promise<void> => {
    const passed: string[] = [];
    for (let stop = 0; stop < maxStops; stop += 1) {
      await page.keyboard.press(key);
      const found = await page.evaluate<string>(focusedName);
      if (typeof name === 'string' ? found === name : name.test(found)) return;
      passed.push(found);
    }
    throw new Error(
      `${key} reaches nothing that is called ${name}, only ${[...new Set(passed)].join(' | ')}.`,
    );
  };
  const use = async (name: string | RegExp): Promise<void> => {
    await reach(name);
    await page.keyboard.press('Enter');
  };
  return {
    reach,
    /** Reaches a link or a button, and presses Enter. */
    use,
    /** Reaches a field, and puts a text in the place of what it holds. */
    async fill(name: string | RegExp, text: string): Promise<void> {
      await reach(name);
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    },
    /** Follows a link to a page, and waits for its heading. */
    async follow(name: string | RegExp, heading: string): Promise<void> {
      await use(name);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    },
    /** The same in the navigation, which stands before the page. */
    async navigate(name: string, heading: string): Promise<void> {
      await reach(name, 'Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    },
    /**
     * In a list that is open: goes on with the arrow keys to an entry, takes it, and closes the
     * list.
     */
    async pick(entry: string): Promise<void> {
      const isAt = `(() => {
        const { activeElement: one } = document;
        const id = one.getAttribute('aria-activedescendant');
        return (document.getElementById(id ?? '') ?? one).innerText;
      })()`;
      for (let stop = 0; stop < maxStops; stop += 1) {
        const [first = ''] = (await page.evaluate<string>(isAt)).trim().split('\n');
        if (first.trim() === entry) break;
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
    },
    press: (key: string): Promise<void> => page.keyboard.press(key),
  };
};

export type Keyboard = ReturnType<typeof keyboardOf>;
