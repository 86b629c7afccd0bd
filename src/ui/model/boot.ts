import type { BootProgress } from '../../api.ts';
import { strings } from '../strings.ts';
import { formatBytes } from './format.ts';

/** Where each step of a boot begins on a bar from 0 to 1, by what the steps of a first visit take. */
const BEGIN: Record<BootProgress['step'], number> = {
  lock: 0,
  download: 0.05,
  unpack: 0.4,
  open: 0.7,
  start: 0.85,
  ready: 1,
};

const ORDER = Object.keys(BEGIN) as BootProgress['step'][];

/** How far a boot is, from 0 to 1. Within a step of unknown length it stays at the step's beginning. */
export function bootFraction({ step, done, total }: BootProgress): number {
  const begin = BEGIN[step];
  const next = ORDER[ORDER.indexOf(step) + 1];
  if (!next || total <= 0) return begin;
  return begin + (BEGIN[next] - begin) * Math.min(1, done / total);
}

/** What a boot does at the moment, in words. */
export function bootWords({ step, done, total }: BootProgress): string {
  const what = strings.boot.steps[step];
  if (total <= 0) return what;
  if (step === 'download') return strings.boot.amount(what, formatBytes(done), formatBytes(total));
  return step === 'unpack' || step === 'open'
    ? strings.boot.amount(what, done.toLocaleString('en'), total.toLocaleString('en'))
    : what;
}
