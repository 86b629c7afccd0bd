/** The entry of the page. */

import { deleteWorld, importWorld, listWorlds, openWorld, RpcError } from '../index.ts';
import { PLAYGROUND_WORLD } from '../shipped.ts';
import { start } from './start.ts';

start({ openWorld, listWorlds, importWorld, deleteWorld, RpcError }, PLAYGROUND_WORLD);
