import { type EngineClock, systemClock } from '../../../lib/local/engines/machine.ts';

/** The machine's clock, until somebody moves it. */
export const movableClock = () => {
  const { now: machine, after } = systemClock;
  let shift = 0;
  const clock: EngineClock = { after, now: () => machine() + shift };
  const setTime = (time: number): void => {
    shift = time - machine();
  };
  return { clock, setTime };
};
