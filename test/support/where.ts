import { existsSync } from 'node:fs';

/** What jest names a test that cannot run here: with the reason, which its report then shows. */
const skippedTitle = (title: string, reason: string): string => `${title} [skipped: ${reason}]`;

/** `test`, or jest's own `test.skip` where there is a reason why it cannot run here. */
export const testUnless = (
  reason: string | undefined,
  title: string,
  body: () => Promise<void>,
): void => {
  if (reason === undefined) test(title, body);
  else test.skip(skippedTitle(title, reason), body);
};

/**
 * `describe`, or jest's own `describe.skip` where there is a reason why its tests cannot run here.
 */
export const describeUnless = (
  reason: string | undefined,
  title: string,
  body: () => void,
): void => {
  if (reason === undefined) describe(title, body);
  else describe.skip(skippedTitle(title, reason), body);
};

/** The reason why tests cannot run that need a path of the system. */
export const lackOf = (path: string): string | undefined =>
  existsSync(path) ? undefined : `there is no ${path} here`;

/** The reason why tests cannot run that need these programs. */
export const needOf = (absent: readonly string[]): string | undefined =>
  absent.length === 0 ? undefined : `needs ${absent.join(' and ')}`;
