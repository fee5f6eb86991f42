import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, or another one that is named. */
const executablePath = process.env['SOMBUS_CHROMIUM'] ?? '/usr/bin/chromium';

/** Why no browser can be opened here; undefined if one can. */
export const browserLacks = (): string | undefined =>
  existsSync(executablePath)
    ? undefined
    : `there is no ${executablePath} here: install Chromium, or name one in SOMBUS_CHROMIUM`;

/**
 * What keeps the browser from calling anybody but the pages of a test; without a sandbox, since
 * tests may run as root.
 */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Older browsers have no such check: the service has to hold pages off by itself.
  '--disable-features=LocalNetworkAccessChecks',
];

/** How long a page may take, in milliseconds: a busy machine draws slowly. */
export const patience = 180_000;

/**
 * Opens a browser without a window.
 *
 * @param hosts host names that stand for 127.0.0.1 there, whatever the name service says
 */
export const openBrowser = (...hosts: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      ...quiet,
      `--host-resolver-rules=${hosts.map(host => `MAP ${host} 127.0.0.1`).join(',')}`,
    ],
  });
