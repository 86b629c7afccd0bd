/** The longest piece of time that is believed to have been running time: a longer gap is a frozen page (R3.6-9). */
const TICK = 500;

/** A piece of time that passes only while the page runs. */
export interface Countdown {
  cancel(): void;
  /** The milliseconds that remain. */
  left(): number;
}

/** Calls `act` after `ms` milliseconds in which the page was running: a closed lid or a frozen tab does not count (R3.6-9). */
export function countdown(ms: number, act: () => void): Countdown {
  let left = ms;
  let slice = 0;
  let from = 0;
  let timer: ReturnType<typeof setTimeout>;
  const next = () => {
    slice = Math.min(left, TICK);
    from = performance.now();
    timer = setTimeout(() => {
      left -= Math.min(performance.now() - from, slice * 2);
      // a timer may fire a fraction early
      if (left < 1) act();
      else next();
    }, slice);
  };
  next();
  return {
    cancel: () => clearTimeout(timer),
    left: () => Math.max(0, left - Math.min(performance.now() - from, slice)),
  };
}

/** `countdown` for those who only need the function that calls it off. */
export const after = (ms: number, act: () => void): (() => void) => countdown(ms, act).cancel;
