import { deleteWorld, importWorld, listWorlds, openWorld, RpcError } from '../index.ts';
import { start } from './start.ts';

/** The entry of the page. */
start({ openWorld, listWorlds, importWorld, deleteWorld });
Object.assign(window.sausage, { RpcError });
