/** Amounts as people read them. */

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** 1234567 -> `1.2 MB`, in powers of 1000. */
export function formatBytes(bytes: number): string {
  let unit = 0;
  while (bytes >= 999.5 && unit < UNITS.length - 1) {
    bytes /= 1000;
    unit++;
  }
  const number = unit === 0 || bytes >= 9.95 ? Math.round(bytes) : Math.round(bytes * 10) / 10;
  return unit === 0 && number === 1 ? '1 byte' : `${number.toLocaleString('en')} ${UNITS[unit]}`;
}

/** Milliseconds -> `0.8 ms`, `12 ms`, `3.4 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 9.95) return `${Math.max(0, Math.round(ms * 10) / 10)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Whole seconds or minutes: for what is shown while it grows. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `5min ago`; under a minute `just now`. */
export function formatAgo(then: Date, now: Date = new Date()): string {
  const seconds = (now.getTime() - then.getTime()) / 1000;
  for (const [unit, size] of STEPS) {
    if (seconds >= size)
      return new Intl.RelativeTimeFormat('en', { style: 'narrow' }).format(-Math.floor(seconds / size), unit);
  }
  return 'just now';
}

/** An RFC 3339 time -> the time of day here, `14:03:07`. */
export function formatTime(rfc3339: string): string {
  const time = new Date(rfc3339);
  return Number.isNaN(time.getTime()) ? rfc3339 : time.toLocaleTimeString('en-GB');
}

/** Sixteen bytes a line. */
export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte, at) => byte.toString(16).padStart(2, '0') + (at % 16 === 15 ? '\n' : ' '))
    .join('')
    .trim();

/** A value on one line, as JSON without the quotes that keys do not need, cut after `limit` characters. */
export function preview(value: unknown, limit = 72): string {
  const text = inline(value, limit);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

function inline(value: unknown, room: number): string {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' ? JSON.stringify(value.slice(0, room + 1)) : String(value);
  }
  const array = Array.isArray(value);
  // what is deeper is cut off in any case, and may be deeper than a stack
  if (room <= 0) return array ? '[…]' : '{…}';
  const parts: string[] = [];
  for (const [key, each] of Object.entries(value)) {
    if (room <= 0) break;
    const part = array
      ? inline(each, room - 1)
      : `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${inline(each, room - 1)}`;
    parts.push(part);
    room -= part.length + 2;
  }
  return array ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}
