import type { Locator, Page } from 'playwright-core';

/** The window of a desk: 1440 × 900. */
const screenHeight = 900;

/**
 * Somebody whose clicks are counted. A click counts wherever it goes, into a field as well, and so
 * does Enter, which stands for one. To type, or to paste, into a field that has the focus counts for
 * nothing; nor does Escape, which closes a list of choices.
 *
 * What is clicked or read has to be on the screen without scrolling: `beyond` tells what was not.
 */
export const clicking = (page: Page) => {
  let count = 0;
  const beyond: string[] = [];

  /** Notes whether somebody sees all of it where the page begins. */
  const look = async (at: Locator, name = `${at}`): Promise<void> => {
    await at.first().waitFor();
    const box = await at.first().boundingBox();
    const scrolled = await page.evaluate<number>('scrollY');
    const bottom = scrolled + (box?.y ?? 0) + (box?.height ?? 0);
    if (!box || bottom > screenHeight) beyond.push(`${name} ends at ${Math.round(bottom)}`);
  };

  const click = async (at: Locator, name?: string): Promise<void> => {
    await look(at, name);
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
    beyond: (): readonly string[] => beyond,
  };
};
