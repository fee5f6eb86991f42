import { openApi } from '../descriptions/openapi.ts';

/** The descriptions that the bus serves, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> =>
  new Map([
    [
      'openapi.generated.json',
      `${JSON.stringify({ bus: openApi('bus'), portal: openApi('portal') })}\n`,
    ],
  ]);
