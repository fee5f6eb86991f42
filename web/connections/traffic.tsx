import type { VolumePoint } from '../../lib/contract/portal/overview-responses.ts';
import { useValue } from '../page/cell.ts';
import { zone } from '../page/preferences.ts';
import { timeText } from '../page/time.tsx';
import './traffic.css';

interface TrafficProps {
  /** A quarter of an hour each. */
  readonly points: readonly VolumePoint[];
  readonly kind: 'producer' | 'consumer';
}

const width = 480;
const height = 72;
const gap = 1;

/** What went well and what did not, of a quarter of an hour. */
const partsOf = (point: VolumePoint, kind: TrafficProps['kind']) => {
  if (kind === 'consumer') return { good: point.acknowledged, bad: 0 };
  return { good: point.accepted, bad: point.refused + point.limited };
};

/** A day of a connection as bars: what was refused is red, on top. */
export const Traffic = ({ points, kind }: TrafficProps) => {
  const shown = useValue(zone);
  const parts = points.map(point => ({ at: point.at, ...partsOf(point, kind) }));
  const most = Math.max(0, ...parts.map(({ good, bad }) => good + bad));
  const verb = kind === 'producer' ? 'sent' : 'acknowledged';
  const busiest = parts.find(({ good, bad }) => most > 0 && good + bad === most);
  const words = busiest
    ? `The last day in quarters of an hour: at most ${most.toLocaleString('en')} ${verb}, ` +
      `at ${timeText(busiest.at, shown)}.`
    : `Nothing was ${verb} in the last day.`;
  const step = width / Math.max(1, parts.length);
  const tall = (count: number): number => (most === 0 ? 0 : (count / most) * height);
  return (
    <figure className="traffic">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
      >
        {parts.map(({ at, good, bad }, index) => (
          <g key={at}>
            <rect
              x={index * step}
              y={height - tall(good)}
              width={step - gap}
              height={tall(good)}
              fill="var(--accent)"
            />
            <rect
              x={index * step}
              y={height - tall(good) - tall(bad)}
              width={step - gap}
              height={tall(bad)}
              fill="var(--wrong)"
            />
          </g>
        ))}
        <line x1={0} x2={width} y1={height} y2={height} stroke="var(--line)" />
      </svg>
      <figcaption>{words}</figcaption>
    </figure>
  );
};
