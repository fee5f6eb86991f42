/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';

interface TableProps {
  /** What a screen reader calls it. */
  readonly label: string;
  readonly heads: readonly ComponentChildren[];
  /** Which column has numbers, from 0. */
  readonly numbers?: number;
  readonly class?: string;
  /** Its rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways where it is too wide. */
export const Table = ({ label, heads, numbers, class: name, children }: TableProps) => (
  // Scrolls sideways, so the keyboard must reach it.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <section class="scroll" tabIndex={0} aria-label={label}>
    <table class={name}>
      <thead>
        <tr>
          {heads.map((head, at) => (
            <th key={at} scope="col" class={at === numbers ? 'number' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
