import Container from '@cloudscape-design/components/container';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header, { type HeaderProps } from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import StatusIndicator, {
  type StatusIndicatorProps,
} from '@cloudscape-design/components/status-indicator';
import { type ReactNode, useEffect, useRef } from 'react';
import { cell } from './cell.ts';
import { Loaded, type Loading } from './data.tsx';

/** What is beside or below the page: the message that was chosen in a list. */
export interface Panel {
  readonly title: string;
  readonly content: ReactNode;
  close(): void;
}

export const title = cell('…');
export const panel = cell<Panel | undefined>(undefined);

/** Shows something in the split panel for as long as the page shows it. */
export const usePanel = (wanted: Panel | undefined, key: string | undefined): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown changes with its key
  useEffect(() => {
    panel.value = wanted;
    return () => {
      panel.value = undefined;
    };
  }, [key]);
};

/** A part of a page with a heading of its own. */
export const Section = ({
  title: text,
  children,
  ...header
}: HeaderProps & { readonly title: string }) => (
  <Container
    header={
      <Header variant="h2" {...header}>
        {text}
      </Header>
    }
  >
    {children}
  </Container>
);

export type Fact = readonly [label: string, value: ReactNode];

/** Facts by their labels. */
export const Facts = ({
  of,
  columns = 4,
}: {
  readonly of: readonly (Fact | false | undefined)[];
  readonly columns?: number;
}) => (
  <div className="facts">
    <KeyValuePairs
      columns={columns}
      items={of
        .filter(one => one !== false && one !== undefined)
        .map(([label, value]) => ({ label, value }))}
    />
  </div>
);

/** Parts of a page as tabs. */
export const tabsOf = (of: readonly (Fact | false)[]) =>
  of
    .filter(one => one !== false)
    .map(([label, content]) => ({ id: label.toLowerCase().replaceAll(' ', '-'), label, content }));

/** How a state looks, and its words. */
export type Look = readonly [type: StatusIndicatorProps.Type, text: string];

export const State = ({ of: [type, text] }: { readonly of: Look }) => (
  <StatusIndicator type={type}>{text}</StatusIndicator>
);

interface PageProps<T> {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** What the page is about, which its content is made of. */
  readonly loading?: Loading<T>;
  readonly children: ReactNode | ((value: T) => ReactNode);
}

/** A page: its title is the document's title too, and has the focus when the page opens. */
export const Page = <T,>({ title: text, lead, actions, loading, children }: PageProps<T>) => {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `${text} – som-bus`;
    title.value = text;
  }, [text]);
  // Not when a title becomes known: somebody may be typing by then.
  useEffect(() => {
    const heading = host.current?.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={host}>
      <ContentLayout
        header={
          <Header variant="h1" description={lead} actions={actions}>
            {text}
          </Header>
        }
      >
        <div className="stack">
          {typeof children !== 'function'
            ? children
            : loading && <Loaded loading={loading}>{children}</Loaded>}
        </div>
      </ContentLayout>
    </div>
  );
};
