/** The elements that one works with in an open world, which load once it is there. */

import './editor/editor-view.ts';
import './files/files-view.ts';
