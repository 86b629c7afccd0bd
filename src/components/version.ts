/** What made a transpiled component; part of the key by which it is kept. */

/** The version of `@bytecodealliance/jco-transpile`; a test compares it with the one that is installed. */
export const JCO_VERSION = '0.15.0';

/** Grows with every change of what this project makes of jco's output, or of what it expects of it. */
export const HOST_VERSION = 1;

/** Entries made by another generator are never used. */
export const GENERATOR = `jco${JCO_VERSION}-host${HOST_VERSION}`;
