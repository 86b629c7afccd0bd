/** The entry of the page. */

import { copyWorld, deleteWorld, importWorld, listWorlds, openWorld, RpcError, WorldBusyError } from '../index.ts';
import { PLAYGROUND_WORLD } from '../shipped.ts';
import { start } from './start.ts';

start({ openWorld, listWorlds, importWorld, copyWorld, deleteWorld, RpcError, WorldBusyError }, PLAYGROUND_WORLD);
