import Box from '@cloudscape-design/components/box';
import Button, { type ButtonProps } from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import type { Reply } from './call.ts';
import { type PageAction, useDoing } from './data.tsx';

/** A call that the reader makes, and what comes after it. */
export interface Work<T> {
  send(): Promise<Reply<T>>;
  /** Says that it is done. */
  readonly done?: string | undefined;
  after?(value: T): void;
  /** Shows what is there now, when somebody else was faster. */
  readonly again?: (() => void) | undefined;
}

/** Lets the type of the response be known to what comes after it. */
export const workOf = <T,>(work: Work<T>): Work<T> => work;

/** Does it, and tells whether that worked. */
export const doWork = <T,>(doing: PageAction, { send, done, after }: Work<T>): Promise<boolean> =>
  doing.run(send, done, after);

interface ActProps<T> extends Work<T> {
  readonly button: string;
  /** Of the button, where several on a page have the same text. */
  readonly label?: string;
  readonly variant?: ButtonProps.Variant;
  readonly iconName?: ButtonProps['iconName'];
}

/** A button that makes a call at once; an error is shown beside it. */
export const Act = <T,>({
  button,
  label = button,
  variant = 'normal',
  iconName,
  ...work
}: ActProps<T>) => {
  const doing = useDoing(work.again);
  const icon = iconName ? { iconName } : {};
  return (
    <>
      <Button
        variant={variant}
        ariaLabel={label}
        {...icon}
        loading={doing.isBusy}
        onClick={() => void doWork(doing, work)}
      >
        {button}
      </Button>
      {doing.trouble}
    </>
  );
};

interface ConfirmProps<T> extends ActProps<T> {
  /** A sentence with names: what is about to happen. */
  readonly title: string;
  readonly children: ReactNode;
}

/**
 * A button that asks once more; an error is shown in the dialog. What is asked, and what is then
 * done, stay as they were when the dialog opened, whatever the page shows by then.
 */
export const Confirm = <T,>(props: ConfirmProps<T>) => {
  const { button, label = button, variant = 'normal' } = props;
  const [asked, setAsked] = useState<ConfirmProps<T> | undefined>(undefined);
  const [tried, setTried] = useState<ConfirmProps<T> | undefined>(undefined);
  const close = () => setAsked(undefined);
  const { again } = props;
  const showCurrent = () => {
    close();
    again?.();
  };
  const doing = useDoing(again && showCurrent);
  const confirm = async () => {
    if (asked === undefined) return;
    setTried(asked);
    if (await doWork(doing, asked)) close();
  };
  return (
    <>
      <Button variant={variant} ariaLabel={label} onClick={() => setAsked(props)}>
        {button}
      </Button>
      <Modal
        visible={asked !== undefined}
        header={asked?.title}
        onDismiss={close}
        footer={
          <Box float="right">
            <SpaceBetween direction="horizontal" size="xs">
              <Button variant="link" onClick={close}>
                Cancel
              </Button>
              <Button variant="primary" loading={doing.isBusy} onClick={() => void confirm()}>
                {asked?.button}
              </Button>
            </SpaceBetween>
          </Box>
        }
      >
        <SpaceBetween size="m">
          <div>{asked?.children}</div>
          {asked !== undefined && asked === tried && doing.trouble}
        </SpaceBetween>
      </Modal>
    </>
  );
};
