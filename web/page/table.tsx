import type { ComponentChildren } from 'preact';

interface Table {
  /** What a screen reader calls it. */
  readonly label: string;
  readonly heads: readonly ComponentChildren[];
  /** The head of a column of numbers. */
  readonly numbers?: string;
  readonly class?: string;
  /** Its rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways where it is too wide. */
export const Table = ({ label, heads, numbers, class: name, children }: Table) => (
  // Scrolls sideways, so the keyboard must reach it.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <section class="scroll" tabIndex={0} aria-label={label}>
    <table class={name}>
      <thead>
        <tr>
          {heads.map((head, at) => (
            <th key={at} scope="col" class={head === numbers ? 'number' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
