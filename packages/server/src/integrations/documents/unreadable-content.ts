/** Why a document cannot be read, as a message for its owner with the fix. Other errors are bugs. */
export class UnreadableContent extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'UnreadableContent'
  }
}

/** Error of a document that exceeds a limit. */
export function beyondLimit(what: string, limit: number, unit: string): UnreadableContent {
  const amount = `${limit.toLocaleString('en-US')} ${unit}`
  return new UnreadableContent(`The document ${what} more than ${amount}, the limit of one document: split it.`)
}

/** Error of an unsupported file type. */
export function unsupported(what: string, advice: string): UnreadableContent {
  return new UnreadableContent(`${what} cannot be read: ${advice}.`)
}

/** Error of a file that needs a password. */
export function passwordProtected(): UnreadableContent {
  return new UnreadableContent('The document is password-protected: remove the protection and add it again.')
}

/** Error of a file with invalid content. */
export function damaged(kind: string): UnreadableContent {
  return new UnreadableContent(
    `The document seems to be damaged: it starts like ${kind} but cannot be read as one. Save it again and add the new file.`,
  )
}

/** Error of a document without text. */
export function withoutText(): UnreadableContent {
  return new UnreadableContent('The document has no text.')
}
