export const ROOT: string;
export const DIST: string;
export const BUILD: string;
