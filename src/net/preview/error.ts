/** There are no previews here; the message says why and what to do. */
export class PreviewError extends Error {
  override readonly name = 'PreviewError';
}
