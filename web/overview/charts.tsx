import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import LineChart from '@cloudscape-design/components/line-chart';
import type { VolumePoint, VolumeResponse } from '../../lib/contract/portal/overview-responses.ts';
import { useValue } from '../page/cell.ts';
import { zone } from '../page/preferences.ts';
import { duration } from '../page/time.tsx';

const colours = {
  petrol: 'light-dark(#08767f, #5cc8cf)',
  violet: 'light-dark(#6a62c9, #a59cf5)',
  red: 'light-dark(#c02b2b, #ff7a73)',
  amber: 'light-dark(#b5541c, #f0a37a)',
} as const;

const empty = 'Nothing happened in this period.';

const seriesOf = (
  points: readonly VolumePoint[],
  title: string,
  heightOf: (point: VolumePoint) => number | undefined,
) => {
  const data = points.flatMap(point => {
    const y = heightOf(point);
    return y === undefined ? [] : [{ x: new Date(point.at), y }];
  });
  const [only] = data;
  if (!only || data.length > 1) return { title, data };
  // A line of one point cannot be seen: it gets the length of a step.
  const step = Date.parse(points[1]?.at ?? '') - Date.parse(points[0]?.at ?? '');
  return { title, data: [{ ...only, x: new Date(only.x.getTime() - step) }, only] };
};

const day = { day: 'numeric', month: 'short' } as const;
const clock = { hour: '2-digit', minute: '2-digit' } as const;

const useTimes = (range: VolumeResponse['range']) => {
  const timeZone = useValue(zone) === 'utc' ? 'UTC' : undefined;
  const shown = range === 'week' ? day : clock;
  const format = new Intl.DateTimeFormat('en-GB', { ...shown, timeZone });
  const exact = new Intl.DateTimeFormat('en-GB', { ...day, ...clock, timeZone });
  return {
    xTickFormatter: (time: Date) => format.format(time),
    detailPopover: (time: Date) => exact.format(time),
    zoneTitle: timeZone ?? 'local time',
  };
};

const Volume = ({ volume: { range, points } }: { readonly volume: VolumeResponse }) => {
  const { xTickFormatter, detailPopover, zoneTitle } = useTimes(range);
  const accepted = seriesOf(points, 'Accepted', one => one.accepted);
  const delivered = seriesOf(points, 'Delivered', one => one.delivered);
  const refused = seriesOf(points, 'Refused', one => one.refused + one.limited);
  const series = [
    { ...accepted, type: 'line' as const, color: colours.petrol },
    { ...delivered, type: 'line' as const, color: colours.violet },
    { ...refused, type: 'line' as const, color: colours.red },
  ];
  const isQuiet = series.every(({ data }) => data.every(({ y }) => y === 0));
  return (
    <Container fitHeight header={<Header variant="h2">Volume</Header>}>
      <LineChart
        ariaLabel="Messages over time"
        height={200}
        hideFilter
        xScaleType="time"
        xTitle={`Time (${zoneTitle})`}
        yTitle="Messages"
        i18nStrings={{ xTickFormatter }}
        detailPopoverSeriesContent={({ series: one, y }) => ({
          key: one.title,
          value: y.toLocaleString('en'),
        })}
        series={isQuiet ? [] : series}
        detailPopoverFooter={time => detailPopover(time)}
        empty={empty}
      />
    </Container>
  );
};

/** Fewer are no line: the words above it say all. */
const minPoints = 3;

/** The slowest moment of those that are known. */
const latencyWords = (known: readonly VolumePoint[]): string => {
  const slowest = (name: 'p50_ms' | 'p95_ms') =>
    duration(Math.max(...known.map(one => one[name] ?? 0)));
  return `At worst half within ${slowest('p50_ms')}, 95 of 100 within ${slowest('p95_ms')}`;
};

const Latency = ({ volume: { range, points } }: { readonly volume: VolumeResponse }) => {
  const { xTickFormatter, zoneTitle } = useTimes(range);
  const known = points.filter(({ p95_ms }) => p95_ms !== undefined);
  const p95 = seriesOf(points, 'p95', one => one.p95_ms);
  const p50 = seriesOf(points, 'p50', one => one.p50_ms);
  const series = [
    { ...p95, type: 'line' as const, color: colours.amber },
    { ...p50, type: 'line' as const, color: colours.petrol },
  ];
  return (
    <Container
      fitHeight
      header={
        <Header variant="h2" description={known.length > 0 && latencyWords(known)}>
          From accepted to acknowledged
        </Header>
      }
    >
      <LineChart
        ariaLabel="Latency over time"
        height={200}
        hideFilter
        xScaleType="time"
        xDomain={[new Date(points[0]?.at ?? 0), new Date(points.at(-1)?.at ?? 0)]}
        xTitle={`Time (${zoneTitle})`}
        yTitle="Time to acknowledgement"
        i18nStrings={{ xTickFormatter, yTickFormatter: value => duration(value) }}
        detailPopoverSeriesContent={({ series: one, y }) => ({
          key: one.title,
          value: duration(y),
        })}
        series={known.length < minPoints ? [] : series}
        empty={known.length === 0 ? empty : 'Too few measurements to draw a line.'}
      />
    </Container>
  );
};

/** What happened over time. */
export const Charts = (props: { readonly volume: VolumeResponse }) => (
  <ColumnLayout columns={2}>
    <Volume {...props} />
    <Latency {...props} />
  </ColumnLayout>
);
