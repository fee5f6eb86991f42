import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { pathOfPage } from '../../../lib/contract/portal/portal-pages.ts';
import { operatorKeyIn } from '../../../lib/local/roles.ts';
import { browserHost, signInLink } from '../../../lib/local/sign-in.ts';
import { type LocalService, startLocalService } from '../../../lib/local/start.ts';
import { openBrowser } from '../../support/browser.ts';
import { startOptions } from '../../support/start-options.ts';
import { sceneInService } from './in-service.ts';
import { placesIn, sceneDeeds, scenePages } from './pages.ts';

/**
 * Takes pictures of every page of the portal in the scene, at two widths, by day and by night:
 * `npm run pictures -- FOLDER`. `--data` keeps the scene in a folder, or uses one that is there;
 * `--only` names pages.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, only: { type: 'string' } },
});

const [folder] = positionals;
if (folder === undefined)
  throw new Error('Name the folder for the pictures: npm run pictures -- FOLDER');

const widths = [1440, 390] as const;
const modes = ['light', 'dark'] as const;
const height = 900;

const fits = (name: string): boolean =>
  values.only === undefined || values.only.split(',').includes(name);

/** The scene in the service's own engines, unless the folder has it from an earlier run. */
const sceneIn = async (service: LocalService) =>
  placesIn(service.data) ?? placesIn(service.data, await sceneInService(service));

/** Waits until nothing is asked for any more, and the page says nowhere that it loads. */
const settle = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
};

const takeAll = async (service: LocalService): Promise<void> => {
  const { ready, data } = service;
  const places = await sceneIn(service);
  if (places === undefined) throw new Error('The scene could not be made.');
  const key = operatorKeyIn(data);
  const origin = new URL(ready.portal_url);
  origin.hostname = browserHost(key);
  const browser = await openBrowser();
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(signInLink(ready.portal_url, key, { name: 'owner', now: Date.now() }));
  await page.waitForSelector('h1');
  // Pages that are about no workspace go on with this one.
  await page.goto(new URL(pathOfPage('activity', { w: places.w }), origin).href);
  await page.waitForSelector('tbody tr');
  for (const [name, path] of Object.entries(scenePages(places)).filter(([name]) => fits(name)))
    for (const width of widths)
      for (const colorScheme of modes) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        await page.goto(new URL(path, origin).href);
        await settle(page);
        await sceneDeeds[name]?.(page);
        const file = join(folder, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: width > 1000 });
        process.stdout.write(`${file}\n`);
      }
  await browser.close();
};

const main = async (): Promise<void> => {
  const temporary = values.data === undefined ? mkdtempSync(join(tmpdir(), 'scene-')) : undefined;
  mkdirSync(folder, { recursive: true });
  const service = await startLocalService(startOptions(resolve(values.data ?? temporary ?? '')));
  try {
    await takeAll(service);
  } finally {
    await service.close();
    if (temporary !== undefined) rmSync(temporary, { recursive: true });
  }
};

void main();
