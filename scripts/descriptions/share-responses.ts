import type { Schema } from './som-schemas.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, Schema>>>>;

interface Named {
  readonly name: string;
  readonly response: Schema;
  readonly text: string;
}

const responsesOf = ({ operationId, responses }: Schema): readonly Named[] =>
  Object.entries(responses as Readonly<Record<string, Schema>>).map(([status, response]) => ({
    name: `${operationId}-${status}`,
    response,
    text: JSON.stringify(response),
  }));

/** Moves what several operations answer alike into components, under the name of the first of them. */
export const shareResponses = (paths: Paths): { readonly paths: Paths; readonly shared: Schema } => {
  const all = Object.values(paths).flatMap(item => Object.values(item).flatMap(responsesOf));
  const first = new Map([...all].reverse().map(named => [named.text, named]));
  const repeated = new Set(
    all
      .filter((named, index) => all.findIndex(({ text }) => text === named.text) !== index)
      .map(({ text }) => text),
  );
  const replaced = (operation: Schema): Schema => ({
    ...operation,
    responses: Object.fromEntries(
      responsesOf(operation).map(({ name, response, text }) => [
        name.slice(name.lastIndexOf('-') + 1),
        repeated.has(text) ? { $ref: `#/components/responses/${first.get(text)?.name}` } : response,
      ]),
    ),
  });
  return {
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, replaced(operation)])),
      ]),
    ),
    shared: Object.fromEntries(
      [...first.values()]
        .filter(({ text }) => repeated.has(text))
        .map(({ name, response }) => [name, response])
        .reverse(),
    ),
  };
};
