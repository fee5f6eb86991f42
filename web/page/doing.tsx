import Box from '@cloudscape-design/components/box';
import Button, { type ButtonProps } from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import type { Failure, Reply } from './call.ts';
import { Trouble } from './data.tsx';
import { flash } from './flash.ts';

/** Something that the reader does, one call at a time, and how it went: what was typed stays when it fails. */
export interface Doing {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  /** Shown beside the button: the focus moves there. */
  readonly trouble: ReactNode;
  /**
   * Makes the call, says that it is done, and goes on with what it brought.
   *
   * @returns whether it is done
   */
  run<T>(
    work: () => Promise<Reply<T>>,
    done: string | undefined,
    then?: (value: T) => void,
  ): Promise<boolean>;
}

/** @param again shows what is there now, when somebody else was faster */
export const useDoing = (again?: () => void): Doing => {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  return {
    isBusy,
    failure,
    trouble: failure && <Trouble failure={failure} isOwn {...(again ? { again } : {})} />,
    async run(work, done, then) {
      if (isBusy) return false;
      setBusy(true);
      setFailure(undefined);
      const reply = await work();
      setBusy(false);
      if (reply.kind !== 'ok') {
        setFailure(reply);
        return false;
      }
      if (done !== undefined) flash(done);
      then?.(reply.value);
      return true;
    },
  };
};

interface ConfirmProps {
  readonly button: string;
  /** Of the button, where several on a page have the same text. */
  readonly label?: string;
  readonly variant?: ButtonProps.Variant;
  readonly isDisabled?: boolean;
  /** A sentence with names: what is about to happen. */
  readonly title: string;
  readonly children: ReactNode;
  readonly doing: Doing;
  /** @returns whether it is done: then the dialog closes */
  run(): Promise<boolean>;
}

/** A button that asks once more; an error is shown in the dialog. */
export const Confirm = ({
  button,
  label,
  variant,
  isDisabled,
  title,
  children,
  doing,
  run,
}: ConfirmProps) => {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const confirm = async () => {
    if (await run()) close();
  };
  return (
    <>
      <Button
        {...(variant ? { variant } : {})}
        {...(label ? { ariaLabel: label } : {})}
        disabled={isDisabled ?? false}
        onClick={() => setOpen(true)}
      >
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
