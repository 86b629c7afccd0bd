/** The longest piece of time that is believed to have been running time: a longer gap is a frozen page (R3.6-9). */
const TICK = 500;

/**
 * Calls `act` after `ms` milliseconds in which the page was running: a closed lid or a frozen tab does not count
 * (R3.6-9). Returns the function that calls it off.
 */
export function after(ms: number, act: () => void): () => void {
  let left = ms;
  let timer: ReturnType<typeof setTimeout>;
  const next = () => {
    const slice = Math.min(left, TICK);
    const from = performance.now();
    timer = setTimeout(() => {
      left -= Math.min(performance.now() - from, slice * 2);
      // a timer may fire a fraction early
      if (left < 1) act();
      else next();
    }, slice);
  };
  next();
  return () => clearTimeout(timer);
}
