import Box from '@cloudscape-design/components/box';
import Button, { type ButtonProps } from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import type { Reply } from './call.ts';
import { type Doing, useDoing } from './data.tsx';

/** A call that the reader makes, and what comes after it. */
export interface Work<T> {
  send(): Promise<Reply<T>>;
  /** Says that it is done. */
  readonly done?: string | undefined;
  after?(value: T): void;
  /** Shows what is there now, when somebody else was faster. */
  again?(): void;
}

/** Lets the type of the response be known to what comes after it. */
export const workOf = <T,>(work: Work<T>): Work<T> => work;

/** Does it, and tells whether that worked. */
export const doWork = <T,>(doing: Doing, { send, done, after }: Work<T>): Promise<boolean> =>
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
  return (
    <>
      <Button
        variant={variant}
        ariaLabel={label}
        {...(iconName ? { iconName } : {})}
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

/** A button that asks once more; an error is shown in the dialog. */
export const Confirm = <T,>({
  button,
  label = button,
  variant = 'normal',
  title,
  children,
  ...work
}: ConfirmProps<T>) => {
  const [isOpen, setOpen] = useState(false);
  const doing = useDoing(work.again);
  const close = () => setOpen(false);
  const confirm = async () => {
    if (await doWork(doing, work)) close();
  };
  return (
    <>
      <Button variant={variant} ariaLabel={label} onClick={() => setOpen(true)}>
        {button}
      </Button>
      <Modal
        visible={isOpen}
        header={title}
        onDismiss={close}
        footer={
          <Box float="right">
            <SpaceBetween direction="horizontal" size="xs">
              <Button variant="link" onClick={close}>
                Cancel
              </Button>
              <Button variant="primary" loading={doing.isBusy} onClick={() => void confirm()}>
                {button}
              </Button>
            </SpaceBetween>
          </Box>
        }
      >
        <SpaceBetween size="m">
          <div>{children}</div>
          {isOpen && doing.trouble}
        </SpaceBetween>
      </Modal>
    </>
  );
};
