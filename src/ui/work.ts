/** The elements of an open world that its first answer does not wait for. */

import './editor/editor-view.ts';
import './files/files-view.ts';
import './watch/graph-view.ts';
import './watch/journal-view.ts';
