import type { Locator, Page } from 'playwright-core';

/** The window of a desk: 1440 × 900. */
const screenHeight = 900;

/**
 * Somebody whose clicks are counted. A click counts wherever it goes, into a field as well, and so
 * does Enter, which stands for one. To type, or to paste, into a field that has the focus counts for
 * nothing; nor does Escape, which closes a list of choices.
 *
 * What is clicked or read is on the first screen, or on the next one: `scrolled` tells what was not
 * on the first, `beyond` what was on neither.
 */
export const clicking = (page: Page) => {
  let count = 0;
  const [scrolled, beyond]: [string[], string[]] = [[], []];

  /** Notes how far somebody has to scroll to see all of it. */
  const look = async (at: Locator): Promise<void> => {
    await at.first().waitFor();
    const box = await at.first().boundingBox();
    const top = await page.evaluate<number>('scrollY');
    const bottom = top + (box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0);
    if (bottom > screenHeight) scrolled.push(`${at}, at ${Math.round(bottom)}`);
    if (bottom > 2 * screenHeight) beyond.push(`${at}, at ${Math.round(bottom)}`);
  };

  const click = async (at: Locator): Promise<void> => {
    await look(at);
    count += 1;
    await at.first().click();
  };

  return {
    click,
    /** Finds a fact on the page. */
    read: look,
    link: (name: string | RegExp) => click(page.getByRole('link', { name })),
    button: (name: string | RegExp) => click(page.getByRole('button', { name })),
    async enter(): Promise<void> {
      count += 1;
      await page.keyboard.press('Enter');
    },
    async type(field: Locator, text: string): Promise<void> {
      await click(field);
      await page.keyboard.type(text);
    },
    count: () => count,
    scrolled: (): readonly string[] => scrolled,
    beyond: (): readonly string[] => beyond,
  };
};
