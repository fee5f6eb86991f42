/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });

/** A moment in the reader's own time; its title has it in UTC. */
export const When = ({ at }: { readonly at: string }) => {
  const time = new Date(at);
  const isToday = day.format(time) === day.format(new Date());
  return (
    <time dateTime={at} title={at}>
      {isToday ? '' : `${day.format(time)}, `}
      {clock.format(time)}
    </time>
  );
};

/** The day of a moment, for what is long ago. */
export const Day = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {day.format(new Date(at))}
  </time>
);

/** What a line is about, in a colour that says whether it is good. */
export const Badge = ({
  tone,
  children,
}: {
  readonly tone: 'right' | 'wrong' | 'open' | 'quiet';
  readonly children: ComponentChildren;
}) => <span class={`badge ${tone}`}>{children}</span>;

/** Names and values, one below the other. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
