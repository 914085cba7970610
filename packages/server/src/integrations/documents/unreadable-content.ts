/** Reason why a document cannot be read, as a message for its owner with the fix. Other errors are bugs. */
export class UnreadableContent extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnreadableContent'
  }
}

/** Builds the error for a document that exceeds a limit. */
export function createLimitError(predicate: string, limit: number, unit: string): UnreadableContent {
  const amount = `${limit.toLocaleString('en-US')} ${unit}`
  return new UnreadableContent(`The document ${predicate} more than ${amount}, the limit of one document: split it.`)
}

/** Builds the error for an unsupported file type. */
export function createUnsupportedError(subject: string, advice: string): UnreadableContent {
  return new UnreadableContent(`${subject} cannot be read: ${advice}.`)
}

/** Builds the error for a file that requires a password. */
export function createPasswordError(): UnreadableContent {
  return new UnreadableContent('The document is password-protected: remove the protection and add it again.')
}

/** Builds the error for a file with invalid content. */
export function createDamagedFileError(kind: string): UnreadableContent {
  return new UnreadableContent(
    `The document seems to be damaged: it starts like ${kind} but cannot be read as one. Save it again and add the new file.`,
  )
}

/** Builds the error for a document without text. */
export function createNoTextError(): UnreadableContent {
  return new UnreadableContent('The document has no text.')
}
