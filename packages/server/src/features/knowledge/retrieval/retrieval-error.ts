/** Why a search has no result: the message is for the builder of the agent. */
export class RetrievalError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RetrievalError'
  }
}
