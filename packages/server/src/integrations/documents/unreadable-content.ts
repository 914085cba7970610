/** A document that is not read, said to its owner: what is the matter and what helps. Everything else that is thrown is a defect. */
export class UnreadableContent extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'UnreadableContent'
  }
}

/** A limit that a document goes beyond. */
export function beyondLimit(what: string, limit: number, unit: string): UnreadableContent {
  const amount = `${limit.toLocaleString('en-US')} ${unit}`
  return new UnreadableContent(`The document ${what} more than the ${amount} that one document may have: split it.`)
}

/** A kind of file that is not read. */
export function unsupported(what: string, advice: string): UnreadableContent {
  return new UnreadableContent(`${what} cannot be read: ${advice}.`)
}

/** A file that only opens with a password. */
export function passwordProtected(): UnreadableContent {
  return new UnreadableContent('The document is protected by a password: remove the protection and add it again.')
}

/** A file whose content is not what its kind demands. */
export function damaged(kind: string): UnreadableContent {
  return new UnreadableContent(
    `The document seems to be damaged: it begins as ${kind} but cannot be read as one. Save it anew and add it again.`,
  )
}

/** A document in which nothing can be found. */
export function withoutText(): UnreadableContent {
  return new UnreadableContent('The document has no text.')
}
