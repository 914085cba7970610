/** A byte range of a blob. */
export interface BlobRange {
  readonly start: number
  readonly length: number
}

export interface BlobEntry {
  readonly key: string
  readonly sizeBytes: number
}

/**
 * Storage for data that is too large for the database. Keys are segments of letters, digits, `.`, `_` and `-`,
 * separated by `/`. Prefixes end in `/`. Failures reject with an `unavailable` `AppError`.
 */
export interface BlobStore {
  /** Replaces the blob atomically. The blob is durable once the promise resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Reads a range or the whole blob. Stops early at the end of the blob. Yields nothing if the key is unknown. */
  read(key: string, range?: BlobRange): AsyncIterable<Uint8Array>
  /** Lists the blobs under a prefix, sorted by key. */
  list(prefix: string): Promise<readonly BlobEntry[]>
  /** Removes all blobs under a prefix. Does nothing if there are none. */
  remove(prefix: string): Promise<void>
  /** Removes partial writes that a crashed process left under a prefix. Concurrent writes under the prefix can fail. */
  removeDrafts(prefix: string): Promise<void>
}
