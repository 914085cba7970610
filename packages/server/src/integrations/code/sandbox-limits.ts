/** What one run may take. */
export const SANDBOX_LIMITS = {
  /** Of everything that the code makes. */
  memoryBytes: 32 * 1024 * 1024,
  /** Of the interpreter's own stack; deeper recursion is an error inside the code. */
  stackBytes: 256 * 1024,
  /** Of the result, as UTF-8. */
  resultBytes: 1024 * 1024,
  /** Of code, variables and metadata together, in UTF-16 code units. */
  inputCharacters: 2 * 1024 * 1024,
} as const
