import type { Command } from 'commander';
import { repeated } from './options.ts';

/** What a connection may send or receives, as a command's options say it. */
export interface PermissionOptions {
  readonly systemId: readonly string[];
  readonly grant: readonly string[];
  readonly receive: readonly string[];
  readonly source: readonly string[];
}

const often = (leftOut: string | undefined): string =>
  leftOut === undefined ? '(repeatable)' : `(repeatable; default: ${leftOut})`;

/** Adds the options; `leftOut` says for the help text what one that is left out stands for. */
export const permissionOptions = (
  command: Command,
  leftOut: Partial<Record<keyof PermissionOptions, string>> = {},
): Command =>
  command
    .option('--system-id <id>', `producer: a system_id it sends as ${often(leftOut.systemId)}`, repeated, [])
    .option('--grant <type>', `producer: a message type, family.* or * ${often(leftOut.grant)}`, repeated, [])
    .option(
      '--receive <type>',
      `consumer: a message type, family.* or * ${often(leftOut.receive)}`,
      repeated,
      [],
    )
    .option(
      '--source <system_id>',
      `consumer: only messages of this system ${often(leftOut.source)}`,
      repeated,
      [],
    );
