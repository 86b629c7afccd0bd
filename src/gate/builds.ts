/**
 * What the names of all builds of the page in one folder (`scope`, its address) begin with; the ID of a build follows.
 * A build's cache and the lock of those who use it have the same name. Several playgrounds can share an origin.
 */
export const buildsOf = (scope: string): string => `sausage-build ${scope} `;
