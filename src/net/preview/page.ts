/** What a page needs to show previews, in one piece that is fetched when the first is wanted. */

import { findPreviewHost } from './host.ts';
import { placeOf } from './place.ts';

export { FramePreview } from './frame.ts';

/** The origin of the preview of a port, for the page whose folder is `base`. Rejects with `PreviewError`. */
export async function findPlace(base: URL, world: string, port: number): Promise<string> {
  return placeOf(await findPreviewHost(base), base.origin, world, port);
}
