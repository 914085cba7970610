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
 * Storage for data too large for the database. Keys are words of letters, digits, `.`, `_` and `-`, separated by `/`;
 * prefixes end in `/`. Failures reject with an `unavailable` `AppError`.
 */
export interface BlobStore {
  /** Replaces the blob atomically; durable when it resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Reads a range or all; ends early with the blob. Yields nothing for an unknown key. */
  read(key: string, range?: BlobRange): AsyncIterable<Uint8Array>
  /** Lists blobs under a prefix by key. */
  list(prefix: string): Promise<readonly BlobEntry[]>
  /** Removes everything under a prefix, if anything. */
  remove(prefix: string): Promise<void>
  /** Removes partial writes of a dead process under a prefix. Concurrent writes there may fail. */
  removeDrafts(prefix: string): Promise<void>
}
