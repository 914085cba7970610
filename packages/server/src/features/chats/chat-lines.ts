/** One line per chat: what is put in it runs one after another, in the order of arrival. */
export class ChatLines {
  readonly #tails = new Map<string, Promise<void>>()

  /** Whether somebody waits or runs. */
  isBusy(chatId: string): boolean {
    return this.#tails.has(chatId)
  }

  /** Runs `work` when everything before it in the line has settled. */
  async run<Result>(chatId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(chatId)
    const result = before === undefined ? work() : before.then(work)
    const tail = result.then(ignore, ignore)
    this.#tails.set(chatId, tail)
    try {
      return await result
    } finally {
      if (this.#tails.get(chatId) === tail) this.#tails.delete(chatId)
    }
  }
}

function ignore(): void {}
