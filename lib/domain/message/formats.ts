import { fullFormats } from 'ajv-formats/dist/formats';
import { readInstant } from './instant.ts';

/** Nearly every date-time there is, told apart ten times faster than by reading it. */
const plainDateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** The formats that SOM 1.0 asserts, for the compiled validators; each takes time linear in its text. */
export const formats = {
  uuid: fullFormats.uuid,
  uri: fullFormats.uri,
  'date-time': (text: string): boolean => plainDateTime.test(text) || readInstant(text) !== undefined,
};
