import type { Host } from '../host.ts';
import type { Guest } from '../memory.ts';
import type { Table } from './table.ts';

/** What the functions of one instance work on. */
export interface Instance {
  host: Host;
  guest: Guest;
  table: Table;
}
