import { jsonAsWritten, textAsWritten } from '../platform/json/as-written.ts';
import type { JsonObject } from '../platform/json/value.ts';

/** What an instance is configured with. */
export interface InstanceValues {
  readonly values: JsonObject;
  /** Their JSON text, if it has digits that the numbers of `values` cannot hold. */
  readonly exactValues?: string;
}

/** @param written the same values, read so that no digit is lost */
export const instanceValues = (values: JsonObject, written: unknown): InstanceValues => {
  const exactValues = textAsWritten(written);
  if (exactValues === JSON.stringify(values)) return { values };
  return { values, exactValues };
};

/** The values, of which `textAsWritten` gives all digits. */
export const writtenValues = ({ values, exactValues }: InstanceValues): unknown =>
  exactValues === undefined ? values : jsonAsWritten(exactValues);
