import type { Schema } from './som-schemas.ts';

/** What an operation has beside what its row says. */
export interface Operation {
  readonly description: string;
  readonly parameters?: readonly Schema[];
  readonly requestBody?: Schema;
  readonly responses: Readonly<Record<string, Schema>>;
}

export const json = 'application/json';

export const body = (content: Schema): Schema => ({ required: true, content });

export const valued = (examples: Readonly<Record<string, unknown>>): Schema =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) as Schema;
