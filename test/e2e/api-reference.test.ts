import type { Browser } from 'playwright-core';
import { browserLacks, openBrowser, patience } from '../support/browser.ts';
import { oneService } from '../support/one-service.ts';
import { describeUnless } from '../support/where.ts';

describeUnless(browserLacks(), 'the API reference in a real browser', () => {
  const bus = oneService();
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const appearances = [
    { colorScheme: 'light', width: 1440 },
    { colorScheme: 'dark', width: 360 },
  ] as const;

  test.each(appearances)('fits and can be read: $colorScheme, $width px', async appearance => {
    const { colorScheme, width } = appearance;
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    page.setDefaultTimeout(patience);
    const complaints: string[] = [];
    page.on('console', message => complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(String(error)));
    await page.goto(`${bus.ready.portal_url}/docs/api`);
    await page.locator('.opblock-summary', { hasText: 'Publish a message' }).first().click();
    await page.locator('.opblock.is-open .responses-table .headers').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const label = "getComputedStyle(document.querySelector('.examples-select__section-label'))";
    const [red = 0] = /\d+/.exec(String(await page.evaluate(`${label}.color`)))?.map(Number) ?? [];
    // Light text on a dark page, and dark text on a light one.
    expect(red > 128).toBe(colorScheme === 'dark');
    expect(complaints).toEqual([]);
    await page.close();
  });
});
