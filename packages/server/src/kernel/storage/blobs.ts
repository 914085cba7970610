/** Part of a blob: from this byte, so many of them. */
export interface BlobRange {
  readonly start: number
  readonly length: number
}

export interface BlobEntry {
  readonly key: string
  readonly sizeBytes: number
}

/**
 * Where what is too large for the database is kept. Keys are words of letters, digits, `.`, `_` and `-`, with `/` between them;
 * prefixes are whole words that end in `/`. What goes wrong with the storage rejects with an `AppError` `unavailable`.
 */
export interface BlobStore {
  /** Stores it whole or not at all, in the place of what the key held before. On the disk when it resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The bytes of a range, or all; ends early where the blob does. Of a key that holds nothing: no bytes. */
  read(key: string, range?: BlobRange): AsyncIterable<Uint8Array>
  /** Everything under a prefix, by key. */
  list(prefix: string): Promise<readonly BlobEntry[]>
  /** Removes everything under a prefix; nothing there is no error. */
  remove(prefix: string): Promise<void>
  /** Removes what a process that died was writing under a prefix. What is being written there meanwhile may fail. */
  removeDrafts(prefix: string): Promise<void>
}
