/** A whole number's allowed range, and what counts when it is left out. */
export interface IntegerRange {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

/** The number in a query parameter, or undefined when it is no plain integer in range. */
export const integerParameter = (text: string | undefined, range: IntegerRange): number | undefined => {
  if (text === undefined) return range.usual;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= range.least && value <= range.most ? value : undefined;
};
