import Header from '@cloudscape-design/components/header';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';

/** A column: its header, what it shows of an entry, and more if need be. */
export type Column<T> = readonly [
  header: string,
  cell: (one: T) => ReactNode,
  more?: Omit<TableProps.ColumnDefinition<T>, 'header' | 'cell'>,
];

interface ListProps<T> {
  readonly title?: string;
  readonly description?: ReactNode;
  /** Beside the title. Absent: how many entries there are; `+` if there are more. */
  readonly counter?: string;
  readonly actions?: ReactNode;
  readonly items: readonly T[];
  /** What tells the entries apart. */
  readonly of?: string | ((one: T) => string);
  /** The first one names the entry, if no other one says that it does. */
  readonly columns: readonly (Column<T> | false | undefined)[];
  readonly empty?: ReactNode;
  /** Within a container that has a frame. */
  readonly isEmbedded?: boolean;
  /** Its cells have sentences. */
  readonly isWrapped?: boolean;
  readonly filter?: ReactNode;
  readonly footer?: ReactNode;
  /** What the hook of a collection, or a page, says further. */
  readonly more?: Partial<TableProps<T>>;
}

/** The columns as Cloudscape takes them. */
export const columnsOf = <T,>(
  columns: ListProps<T>['columns'],
): readonly TableProps.ColumnDefinition<T>[] => {
  const shown = columns.filter(one => one !== false && one !== undefined);
  const isNamed = shown.some(([, , more]) => more?.isRowHeader);
  return shown.map(([header, cell, more], at) => ({
    id: header,
    header,
    cell,
    isRowHeader: !isNamed && at === 0,
    ...more,
  }));
};

/** A table whose columns are data. */
export const List = <T,>({
  title,
  items,
  of,
  columns,
  isEmbedded = false,
  isWrapped = false,
  ...props
}: ListProps<T>) => {
  const header = title !== undefined && (
    <Header
      variant="h2"
      counter={props.counter ?? `(${items.length})`}
      description={props.description}
      actions={props.actions}
    >
      {title}
    </Header>
  );
  const tracked = of === undefined ? {} : { trackBy: of };
  return (
    <Table
      variant={isEmbedded ? 'embedded' : 'container'}
      contentDensity="compact"
      wrapLines={isWrapped}
      items={items}
      {...tracked}
      columnDefinitions={columnsOf(columns)}
      header={header}
      empty={props.empty}
      filter={props.filter}
      footer={props.footer}
      stickyColumns={{ first: 1 }}
      {...props.more}
    />
  );
};
