/** The core worker: everything of one open world. It serves `CoreApi` to the page. */

import { expose } from 'comlink';
import { WorldServer } from '../src/worlds/serve.ts';

expose(new WorldServer());
