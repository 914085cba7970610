/**
 * Encrypts what must be stored but not readable in the database. `purpose` names the place of use (`signing-secret`): a value
 * sealed for one place does not open in another, so that rows cannot be exchanged.
 */
export interface Secrets {
  /** Returns text that is safe to store; different each time. */
  seal(plaintext: string, purpose: string): string
  /** @throws SealedValueError */
  open(sealed: string, purpose: string): string
}

/** A stored value that this installation's key does not open. The message says what to do and contains no secret. */
export class SealedValueError extends Error {
  readonly reason: 'wrong-key' | 'damaged'

  constructor(reason: 'wrong-key' | 'damaged', message: string) {
    super(message)
    this.name = 'SealedValueError'
    this.reason = reason
  }
}
