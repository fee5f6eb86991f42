import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useValue } from '../page/cell.ts';
import { Section } from '../page/layout.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { zone } from '../page/preferences.ts';
import { shortened } from '../page/short-text.ts';
import { timeText } from '../page/time.tsx';
import { type LaneBar, type LaneMark, type Lanes, ticksBetween } from './lanes.ts';
import './picture.css';

/** Of systems, in the order in which they first spoke. */
const laneColours = [
  'light-dark(#08767f, #5cc8cf)',
  'light-dark(#b5541c, #f0a37a)',
  'light-dark(#5a4fcf, #a59cf5)',
  'light-dark(#2e7d32, #7fce84)',
  'light-dark(#b02a6f, #f08bbd)',
  'light-dark(#8a6d00, #e3c14d)',
  'light-dark(#1769aa, #7dbbf0)',
  'light-dark(#6b5b53, #c3aea3)',
] as const;

const gateColours: Readonly<Record<string, string>> = {
  CLEARED: 'var(--right)',
  PENDING: 'var(--open)',
  BLOCKED: 'var(--wrong)',
};

const laneHeight = 34;
const axisHeight = 24;
/** Room for half a mark at both ends. */
const margin = 14;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A part of a second is shown as one: two marks at the same time have an axis, too. */
const minSpan = 1_000;

const wholeOf = ({ from, to }: Span): Span => {
  const room = Math.max(minSpan, to - from) * 0.02;
  return { from: from - room, to: to + room };
};

/** Where times and systems are in the picture. */
const scaleOf = ({ from, to }: Span, systems: readonly string[], width: number, left: number) => {
  const room = Math.max(1, width - left - 2 * margin);
  return {
    x: (at: number): number => left + margin + ((at - from) / (to - from)) * room,
    at: (x: number): number => from + ((x - left - margin) / room) * (to - from),
    y: (system: string): number => axisHeight + (systems.indexOf(system) + 0.5) * laneHeight,
  };
};

type Scale = ReturnType<typeof scaleOf>;

const Diamond = ({ size }: { readonly size: number }) => (
  <path d={`M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`} />
);

const Triangle = () => <path d="M0 -8L8 6L-8 6Z" />;

/** How a mark looks, around its place. */
const shapeOf = ({ shape, changed }: LaneMark): ReactNode => {
  switch (shape) {
    case 'snapshot':
      return <circle r={5 + Math.min(6, changed * 1.5)} />;
    case 'link':
      return <Diamond size={7} />;
    case 'media':
      return <rect x={-6} y={-6} width={12} height={12} rx={2} />;
    case 'warning':
      return <Triangle />;
    case 'refused':
      return <path d="M-6 -6L6 6M6 -6L-6 6" strokeWidth={3.5} fill="none" />;
    case 'telling':
      return <path d="M-4 -7L6 0L-4 7Z" />;
    default:
      return <circle r={4} fill="var(--paper)" strokeWidth={2.5} />;
  }
};

/** The colour of a system, by its place among all of a story. */
export const laneColour = (system: string, systems: readonly string[]): string =>
  laneColours[systems.indexOf(system) % laneColours.length] ?? 'var(--ink)';

const colourOf = ({ shape, gate = '', system }: LaneMark, { systems }: Lanes): string => {
  if (shape === 'refused') return 'var(--wrong)';
  if (shape === 'warning') return 'var(--open)';
  return gateColours[gate] ?? laneColour(system, systems);
};

/** What the keyboard, the mouse or a finger is at. */
interface Told {
  readonly key: string;
  readonly message: string;
  readonly at: number;
  readonly until?: number | undefined;
  readonly system: string;
  readonly words: string;
}

const keyOfMark = ({ message, shape }: LaneMark): string => `${shape} ${message}`;

const toldMark = (mark: LaneMark): Told => ({ ...mark, key: keyOfMark(mark) });

const toldBar = (bar: LaneBar): Told => ({
  key: bar.telling,
  message: bar.message,
  at: bar.from,
  until: bar.to,
  system: bar.system,
  words: `On air: ${bar.words}`,
});

interface SpotProps {
  readonly w: string;
  readonly told: Told;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly transform?: string | undefined;
  show(told: Told): void;
  readonly children: ReactNode;
}

/**
 * A mark or a bar: a link to its message. A finger has nothing to hover with: its first touch shows
 * what it is, the second one follows the link.
 */
const Spot = ({ w, told, label, isCurrent, transform, show, children }: SpotProps) => {
  const touched = useRef(false);
  const moved = transform === undefined ? {} : { transform };
  return (
    <a
      href={urlOf('message', { w, m: told.message })}
      className={isCurrent ? 'spot current' : 'spot'}
      data-spot={told.key}
      tabIndex={isCurrent ? 0 : -1}
      aria-label={label}
      {...moved}
      onMouseEnter={() => show(told)}
      onFocus={() => show(told)}
      onPointerDown={event => {
        touched.current = event.pointerType === 'touch' && !isCurrent;
        event.stopPropagation();
      }}
      onClick={event => {
        event.preventDefault();
        if (touched.current) show(told);
        else goTo(urlOf('message', { w, m: told.message }));
      }}
    >
      {children}
    </a>
  );
};

interface DrawnProps {
  readonly w: string;
  readonly lanes: Lanes;
  readonly scale: Scale;
  readonly current: string;
  labelOf(told: Told): string;
  show(told: Told): void;
}

/** A telling: thin from when it was to begin, thick while it is on air; no end: it goes on. */
const Bar = ({ bar, ...props }: DrawnProps & { readonly bar: LaneBar }) => {
  const { w, lanes, scale, current, labelOf, show } = props;
  const told = toldBar(bar);
  const y = scale.y(bar.system);
  const scheduled = scale.x(bar.scheduledAt ?? bar.from);
  const from = scale.x(bar.from);
  const to = scale.x(bar.to ?? lanes.to);
  const colour = laneColour(bar.system, lanes.systems);
  return (
    <Spot w={w} told={told} label={labelOf(told)} isCurrent={current === told.key} show={show}>
      {bar.link && (
        <path
          className="tie"
          d={`M${scale.x(bar.link.at)} ${scale.y(bar.link.system)}L${from} ${y}`}
        />
      )}
      <line x1={scheduled} x2={from} y1={y} y2={y} stroke={colour} strokeWidth={2} />
      <rect
        x={from}
        y={y - 9}
        width={Math.max(3, to - from)}
        height={18}
        rx={4}
        fill={colour}
        fillOpacity={0.3}
        stroke={colour}
        strokeDasharray={bar.to === undefined ? '4 3' : undefined}
      />
    </Spot>
  );
};

const Mark = ({ mark, ...props }: DrawnProps & { readonly mark: LaneMark }) => {
  const { w, lanes, scale, current, labelOf, show } = props;
  const told = toldMark(mark);
  const colour = colourOf(mark, lanes);
  return (
    <Spot
      w={w}
      told={told}
      label={labelOf(told)}
      isCurrent={current === told.key}
      transform={`translate(${scale.x(mark.at)} ${scale.y(mark.system)})`}
      show={show}
    >
      {/* Larger than what is seen of it, for fingers. */}
      <circle r={13} fill="transparent" stroke="none" />
      <g fill={colour} stroke={mark.shape === 'snapshot' ? 'var(--paper)' : colour}>
        {shapeOf(mark)}
      </g>
    </Spot>
  );
};

/** Where marks are told apart by more than their colour. */
const legend = [
  ['●', 'snapshot: larger where more changed'],
  ['◆', 'link: its gate is green, amber or red'],
  ['▶', 'telling'],
  ['▬', 'on air'],
  ['■', 'media'],
  ['▲', 'warning'],
  ['○', 'other'],
  ['✕', 'refused'],
] as const;

const Ground = ({
  lanes,
  scale,
  span,
  width,
  left,
}: Pick<DrawnProps, 'lanes' | 'scale'> & {
  readonly span: Span;
  readonly width: number;
  readonly left: number;
}) => {
  const shown = useValue(zone);
  const bottom = axisHeight + lanes.systems.length * laneHeight;
  return (
    <g className="ground">
      {lanes.systems.map((system, index) => (
        <rect
          key={system}
          x={0}
          y={axisHeight + index * laneHeight}
          width={width}
          height={laneHeight}
          fill={index % 2 === 0 ? 'var(--raised)' : 'transparent'}
        />
      ))}
      {ticksBetween(span.from, span.to, Math.max(2, (width - left) / 110)).map(at => (
        <g key={at} className="tick">
          <line x1={scale.x(at)} x2={scale.x(at)} y1={axisHeight - 4} y2={bottom} />
          <text x={scale.x(at)} y={axisHeight - 8} textAnchor="middle">
            {timeText(at, shown).slice(-8)}
          </text>
        </g>
      ))}
      {lanes.systems.map(system => (
        <text key={system} className="lane" x={8} y={scale.y(system)} dominantBaseline="central">
          <title>{system}</title>
          {shortened(system, Math.floor((left - 12) / 7.5))}
        </text>
      ))}
    </g>
  );
};

const useWidth = (host: React.RefObject<HTMLElement | null>): number => {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, [host]);
  return width;
};

/** Moves between the marks, in the order of time. */
const nextSpot = (key: string, at: number, many: number): number | undefined => {
  switch (key) {
    case 'ArrowRight':
      return Math.min(many - 1, at + 1);
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'Home':
      return 0;
    case 'End':
      return many - 1;
    default:
      return undefined;
  }
};

/** A drag of less than so many pixels is no choice of a time. */
const minDrag = 8;

interface Drag {
  readonly from: number;
  readonly to: number;
}

/** In a narrow window, the names of the systems have less room. */
const narrowWidth = 600;

/** What of a story is in view, and where. */
const viewOf = (lanes: Lanes, zoom: Span | undefined, width: number) => {
  const span = zoom ?? wholeOf(lanes);
  const left = width < narrowWidth ? 96 : 150;
  const isShown = (from: number, to = from) => to >= span.from && from <= span.to;
  const marks = lanes.marks.filter(({ at }) => isShown(at));
  const bars = lanes.bars.filter(({ from, to = lanes.to }) => isShown(from, to));
  const spots = [...bars.map(toldBar), ...marks.map(toldMark)].sort((a, b) => a.at - b.at);
  return { span, left, marks, bars, spots, scale: scaleOf(span, lanes.systems, width, left) };
};

type View = ReturnType<typeof viewOf>;

/** The mouse draws over a part of the picture; a finger scrolls the page instead. */
const useBrush = ({ scale, left }: View, setZoom: (span: Span) => void) => {
  const [drag, setDrag] = useState<Drag | undefined>(undefined);
  const place = (event: React.PointerEvent<SVGElement>): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const { from: begin, to: end } = drag ?? { from: 0, to: 0 };
  const from = Math.min(begin, end);
  const to = Math.max(begin, end);
  const handlers = {
    onPointerDown: (event: React.PointerEvent<SVGElement>) => {
      if (event.pointerType === 'touch' || place(event) < left) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ from: place(event), to: place(event) });
    },
    onPointerMove: (event: React.PointerEvent<SVGElement>) =>
      drag && setDrag({ ...drag, to: place(event) }),
    onPointerUp: () => {
      setDrag(undefined);
      if (to - from < minDrag) return;
      setZoom({ from: scale.at(from), to: Math.max(scale.at(to), scale.at(from) + minSpan) });
    },
    onPointerCancel: () => setDrag(undefined),
  };
  return { handlers, drawn: drag && { x: from, width: to - from } };
};

interface CanvasProps {
  readonly w: string;
  readonly lanes: Lanes;
  readonly view: View;
  readonly width: number;
  readonly current: Told | undefined;
  labelOf(told: Told): string;
  show(told: Told): void;
  zoomTo(span: Span): void;
}

const Canvas = ({ w, lanes, view, width, current, labelOf, show, zoomTo }: CanvasProps) => {
  const { spots, scale, span, left } = view;
  const { handlers, drawn } = useBrush(view, zoomTo);
  const height = axisHeight + lanes.systems.length * laneHeight + 2;
  const spot = { w, lanes, scale, current: current?.key ?? '', labelOf, show };
  const onKeyDown = (event: React.KeyboardEvent<SVGElement>): void => {
    const at = spots.findIndex(({ key }) => key === current?.key);
    const to = spots[nextSpot(event.key, at, spots.length) ?? -1];
    if (to === undefined) return;
    event.preventDefault();
    const all = event.currentTarget.querySelectorAll<SVGElement>('[data-spot]');
    [...all].find(one => one.dataset['spot'] === to.key)?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
    <svg
      width={width}
      height={height}
      role="group"
      aria-label="What happened, by system and time. The same is in the table below."
      onKeyDown={onKeyDown}
      {...handlers}
    >
      <Ground lanes={lanes} scale={scale} span={span} width={width} left={left} />
      {view.bars.map(bar => (
        <Bar key={bar.telling} {...spot} bar={bar} />
      ))}
      {view.marks.map(mark => (
        <Mark key={keyOfMark(mark)} {...spot} mark={mark} />
      ))}
      {drawn && <rect className="brush" y={axisHeight} height={height - axisHeight} {...drawn} />}
    </svg>
  );
};

interface ZoomProps {
  readonly isZoomed: boolean;
  /** 0.5: half of the time. */
  by(factor: number): void;
  reset(): void;
}

const ZoomButtons = ({ isZoomed, by, reset }: ZoomProps) => (
  <SpaceBetween direction="horizontal" size="xs">
    <Button iconName="zoom-in" ariaLabel="Zoom in" onClick={() => by(0.5)} />
    <Button iconName="zoom-out" ariaLabel="Zoom out" disabled={!isZoomed} onClick={() => by(2)} />
    <Button disabled={!isZoomed} onClick={reset}>
      Whole story
    </Button>
  </SpaceBetween>
);

/** A story as lanes of its systems over one axis of time: a drag chooses a part of it. */
export const StoryPicture = ({ w, lanes }: { readonly w: string; readonly lanes: Lanes }) => {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const shownZone = useValue(zone);
  const [zoom, setZoom] = useState<Span | undefined>(undefined);
  const [told, show] = useState<Told | undefined>(undefined);
  const view = viewOf(lanes, zoom, width);
  const { span, spots } = view;
  const current = spots.find(({ key }) => key === told?.key) ?? spots.at(-1);
  const labelOf = ({ at, until, system, words }: Told): string => {
    const end = until === undefined ? '' : ` to ${timeText(until, shownZone)}`;
    return `${timeText(at, shownZone)}${end}, ${system}: ${words}`;
  };
  const zoomBy = (factor: number): void => {
    const middle = current?.at ?? (span.from + span.to) / 2;
    const half = Math.max(minSpan, (span.to - span.from) * factor) / 2;
    setZoom({ from: middle - half, to: middle + half });
  };
  return (
    <Section
      title="What happened"
      actions={
        <ZoomButtons isZoomed={zoom !== undefined} by={zoomBy} reset={() => setZoom(undefined)} />
      }
    >
      <div ref={host} className="picture">
        {width > 0 && (
          <Canvas {...{ w, lanes, view, width, current, labelOf, show }} zoomTo={setZoom} />
        )}
        <p className="picture-words" role="status">
          {current && labelOf(current)}
        </p>
        <p className="legend">
          {legend.map(([sign, words]) => (
            <span key={words}>
              <span aria-hidden="true">{sign}</span> {words}
            </span>
          ))}
          <span>Drag over the picture to zoom.</span>
        </p>
      </div>
    </Section>
  );
};
