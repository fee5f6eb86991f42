/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { Confirmed } from '../page/action.tsx';
import { When } from '../page/facts.tsx';
import type { ConnectionPart } from './connection-page.tsx';

const hour = 3600;

/** How long the old secret works beside the new one. */
const overlaps: readonly (readonly [seconds: number, words: string])[] = [
  [0, 'ends at once'],
  [hour, 'works for another hour'],
  [24 * hour, 'works for another day'],
  [7 * 24 * hour, 'works for another 7 days'],
  [30 * 24 * hour, 'works for another 30 days'],
];

const Used = ({ at }: { readonly at: string | undefined }) =>
  at === undefined ? (
    <>never used</>
  ) : (
    <>
      last used <When at={at} />
    </>
  );

/** The secrets of a connection: when they were used, and new ones. */
export const Secrets = ({ connection, change, isBusy }: ConnectionPart) => {
  const overlap = useSignal(24 * hour);
  const { current, previous } = connection.secrets;
  return (
    <>
      <h2>Secrets</h2>
      <ul>
        {current ? (
          <li>
            The current one, issued <When at={current.issued_at} />, <Used at={current.last_used_at} />.{' '}
            {connection.may_change && (
              <Confirmed
                button="End it"
                question="Programs that use this secret get no more tokens, at once. End it?"
                run={() => change('connection.endSecret', { which: 'current' })}
              />
            )}
          </li>
        ) : (
          <li>There is no current secret: rotate to get one.</li>
        )}
        {previous && (
          <li>
            The one before works until <When at={previous.valid_until} />, <Used at={previous.last_used_at} />
            .{' '}
            {connection.may_change && (
              <Confirmed
                button="End it now"
                question={
                  previous.last_used_at
                    ? 'It was used: is every program on the new one? Then end it.'
                    : 'It was never used. End it?'
                }
                run={() => change('connection.endSecret', { which: 'previous' })}
              />
            )}
          </li>
        )}
      </ul>
      {connection.may_change && (
        <form
          class="action"
          onSubmit={event => {
            event.preventDefault();
            change('connection.rotate', { overlap_seconds: overlap.value });
          }}
        >
          <label class="filter">
            After the rotation, the old secret
            <select
              value={overlap.value}
              onInput={event => (overlap.value = Number(event.currentTarget.value))}
            >
              {overlaps.map(([seconds, words]) => (
                <option key={seconds} value={seconds}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <p>
            <button type="submit" disabled={isBusy}>
              Rotate the secret
            </button>
          </p>
        </form>
      )}
    </>
  );
};
