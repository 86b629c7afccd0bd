/** The entry of the page. */

import * as sausage from '../index.ts';
import { PLAYGROUND_WORLD } from '../shipped.ts';
import { start } from './start.ts';

start(sausage, PLAYGROUND_WORLD);
