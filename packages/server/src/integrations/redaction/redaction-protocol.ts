/** A redacted conversation as JSON, or the name of the error that stopped it. */
export type ThreadAnswer = { readonly result: string } | { readonly error: string }
