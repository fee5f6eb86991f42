import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pathOfPage } from '../../../lib/contract/portal/portal-pages.ts';
import { busyCorrelation } from './busy-story.ts';
import { refusedId, type Scene } from './scene.ts';

/** What the pages of the scene are about. */
interface Places {
  readonly w: string;
  readonly o: string;
  readonly producer: string;
  readonly consumer: string;
  readonly stuck: string;
  readonly slow: string;
  readonly paused: string;
  readonly replayed: string;
  /** The last message of the story, a snapshot of it, and one that was refused. */
  readonly message: string;
  readonly snapshot: string;
  readonly refused: string;
  readonly tested: string;
  /** A run that was stopped, and the connection that it tested. */
  readonly run: string;
}

const placesOf = ({ cast, story, runs }: Scene): Places => ({
  w: cast.workspace,
  o: cast.house,
  producer: cast.producers[1]?.id ?? '',
  consumer: cast.consumers[1]?.id ?? '',
  stuck: cast.stuck.id,
  slow: cast.slow.id,
  paused: cast.paused.id,
  replayed: cast.replayed.id,
  message: story.at(-1)?.messageId ?? '',
  snapshot: story.findLast(({ messageType }) => messageType === 'story.context')?.messageId ?? '',
  refused: refusedId,
  tested: runs?.stopped.consumer ?? '',
  run: runs?.stopped.id ?? '',
});

const file = 'scene-places.json';

/** The places of the scene in a data folder: those of a scene that was just made are kept there. */
export const placesIn = (data: string, scene?: Scene): Places | undefined => {
  const path = join(data, file);
  if (scene) writeFileSync(path, JSON.stringify(placesOf(scene)));
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Places) : undefined;
};

/** Every page, by the name of its pictures. */
export const scenePages = (places: Places): Readonly<Record<string, string>> => {
  const { w, o } = places;
  const queue = (c: string) => pathOfPage('queue', { w, c });
  const connection = (c: string) => pathOfPage('connection', { w, c });
  return {
    overview: pathOfPage('home', {}),
    activity: pathOfPage('activity', { w }),
    message: pathOfPage('message', { w, m: places.message }),
    refused: pathOfPage('message', { w, m: places.refused }),
    stories: pathOfPage('story', { w }),
    story: `${pathOfPage('story', { w })}?correlation=${busyCorrelation}`,
    connections: pathOfPage('connections', { w }),
    found: `${pathOfPage('connections', { w })}?find=mam`,
    producer: connection(places.producer),
    consumer: connection(places.consumer),
    slow: connection(places.slow),
    paused: connection(places.paused),
    make: pathOfPage('makeConnection', { w }),
    secret: connection(places.producer),
    queue: queue(places.stuck),
    'queue-slow': queue(places.slow),
    'queue-replayed': queue(places.replayed),
    publish: pathOfPage('validate', { w }),
    'publish-refused': pathOfPage('validate', { w }),
    types: pathOfPage('types', { w }),
    type: `${pathOfPage('types', { w })}?type=story.context`,
    runs: pathOfPage('allRuns', { w }),
    run: pathOfPage('run', { w, c: places.tested, t: places.run }),
    report: pathOfPage('run', { w, c: places.tested, t: places.run }),
    alerts: pathOfPage('alerts', { w }),
    settings: pathOfPage('organisation', { o }),
    operator: pathOfPage('operator', {}),
    skills: pathOfPage('skills', {}),
    skill: pathOfPage('skill', { name: 'flag-on-mismatch' }),
    join: pathOfPage('join', {}),
    // The last one: whoever was signed in is not any more.
    'sign-in': pathOfPage('home', {}),
  };
};

/** What is done on a page before its picture is taken. */
export const sceneDeeds: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async secret(page) {
    await page.getByRole('button', { name: 'Secret leaked' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Secret leaked' }).click();
    await page.getByText('This is the only time that it is shown').waitFor();
  },
  async 'publish-refused'(page) {
    await page.getByRole('button', { name: 'Insert a common mistake' }).click();
    await page.getByRole('menuitem').first().click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('The bus has refused this message.').waitFor();
  },
  async report(page) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download report' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    await page.goto('about:blank');
    await page.setContent(text);
  },
  async 'sign-in'(page) {
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Sign in to som-bus' }).waitFor();
  },
};
