/** A world as a zip, and back. The format is described in docs/FORMATS.md. */

export { ZipError } from './zip/error.ts';
export { type ExportOptions, exportWorld } from './zip/export.ts';
export { type ImportLimits, type ImportOptions, importWorld } from './zip/import.ts';
