import { useValue } from './cell.ts';
import { type Zone, zone } from './preferences.ts';

const formatsOf = (timeZone: 'UTC' | undefined) => ({
  clock: new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }),
  day: new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    timeZone,
  }),
});

const formats = { utc: formatsOf('UTC'), local: formatsOf(undefined) } as const;

const milliseconds = (time: Date): string => {
  const digits = `${time.getUTCMilliseconds()}`;
  return `.${digits.padStart(3, '0')}`;
};

/** A moment as text, in the zone that the reader has chosen; without its day if that is today. */
export const timeText = (at: string | number, shown: Zone, isExact = false): string => {
  const time = new Date(at);
  const { clock, day } = formats[shown];
  const date = day.format(time);
  const today = day.format(new Date());
  const parts = date === today ? [] : [date];
  const fraction = isExact ? milliseconds(time) : '';
  return [...parts, `${clock.format(time)}${fraction}`].join(', ');
};

/** A moment; its title has it in full. */
export const When = ({
  at,
  isExact = false,
}: {
  readonly at: string;
  readonly isExact?: boolean;
}) => (
  <time dateTime={at} title={at} className="time">
    {timeText(at, useValue(zone), isExact)}
  </time>
);

/** The day of a moment, for what is long ago. */
export const Day = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {formats[useValue(zone)].day.format(new Date(at))}
  </time>
);

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** A length of time in its largest units: `3 h 5 min`, `31 min`, `850 ms`. */
export const duration = (length: number): string => {
  if (length < 1_000) return `${Math.max(0, Math.round(length))} ms`;
  if (length < 10_000) return `${(length / 1_000).toFixed(1)} s`;
  let seconds = Math.round(length / 1_000);
  const parts = units.flatMap(([size, name]) => {
    const many = Math.floor(seconds / size);
    seconds -= many * size;
    return many === 0 ? [] : [{ many, text: `${many} ${name}` }];
  });
  // Of 31 minutes, nobody needs the seconds.
  const isLarge = (parts[0]?.many ?? 0) >= 10;
  const shown = isLarge ? parts.slice(0, 1) : parts.slice(0, 2);
  return shown.map(({ text }) => text).join(' ');
};

/** How long ago a moment was. */
export const Ago = ({ at, now = Date.now() }: { readonly at: string; readonly now?: number }) => (
  <time dateTime={at} title={at}>
    {duration(Math.max(1_000, now - Date.parse(at)))} ago
  </time>
);
