/** Returns the server program: the bundle if it is current, otherwise the sources. */
export function findServerFile(): string
