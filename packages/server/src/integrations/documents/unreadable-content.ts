/** Error for a document that cannot be read. Its message tells the document's owner the reason and the fix. */
export class UnreadableContentError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnreadableContentError'
  }
}

/** Creates the error for a document that exceeds a limit. */
export function createLimitError(verb: string, limit: number, unit: string): UnreadableContentError {
  const amount = `${limit.toLocaleString('en-US')} ${unit}`
  return new UnreadableContentError(`The document ${verb} more than ${amount}, the limit for one document: split it.`)
}

/** Creates the error for an unsupported file type. */
export function createUnsupportedError(subject: string, advice: string): UnreadableContentError {
  return new UnreadableContentError(`${subject} cannot be read: ${advice}.`)
}

/** Creates the error for a file that requires a password. */
export function createPasswordError(): UnreadableContentError {
  return new UnreadableContentError('The document is password-protected: remove the protection and add it again.')
}

/** Creates the error for a file with invalid content. */
export function createCorruptFileError(kind: string): UnreadableContentError {
  return new UnreadableContentError(
    `The document seems to be damaged: it starts like ${kind} but cannot be read as one. Save it again and add the new file.`,
  )
}

/** Creates the error for a document without text. */
export function createNoTextError(): UnreadableContentError {
  return new UnreadableContentError('The document has no text.')
}
