/** The parts of other plugins' interfaces that this plugin uses, by name; the build writes them here (R11-9). */
export const IMPORTS: Record<string, object> = '@@sausage-imports@@' as unknown as Record<string, object>;
