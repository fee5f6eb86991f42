import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checks } from './checks.ts';
import type { Keys, Shell } from './shell.ts';
import { workFolder } from './tools.ts';

/** A connection's credentials, as the operator's command prints them. */
export interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

/** What the run knows of the deployment: each part adds what the next ones need. */
export interface World {
  readonly baseUrl: string;
  readonly portalUrl: string;
  readonly poolId: string;
  readonly deployer: Keys;
  readonly operator: Keys;
  readonly organisation: string;
  readonly workspace: string;
  readonly producer: Client;
  readonly consumer: Client & { readonly queue_url: string };
}

/** What a part of the run works with. */
export interface Run {
  readonly checks: Checks;
  readonly shell: Shell;
  readonly decisions: string;
  readonly log: string;
  readonly env: NodeJS.ProcessEnv;
}

export const rootKeys: Keys = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

const worldFile = join(workFolder, 'world.json');

export const keepWorld = (world: World): void =>
  writeFileSync(worldFile, JSON.stringify(world, null, 2));

export const keptWorld = (): World => JSON.parse(readFileSync(worldFile, 'utf8'));
