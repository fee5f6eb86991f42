import type { DateRangePickerProps } from '@cloudscape-design/components/date-range-picker';

/** Units of time in milliseconds. */
const spans: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
  year: 31_536_000_000,
};

/** The times of a range: a relative one ends now. */
export const timesOf = (
  range: DateRangePickerProps.Value,
  now: number,
): { readonly from: string; readonly to: string } => {
  const text = (time: number | string) => new Date(time).toISOString();
  if (range.type === 'absolute') return { from: text(range.startDate), to: text(range.endDate) };
  const span = range.amount * (spans[range.unit] ?? 0);
  return { from: text(now - span), to: text(now) };
};
