import type { Database } from '../../../kernel/storage/database.ts'

/** For tests: writes of a node wait while it is closed, and fail with what it was told to refuse with. */
export function createWriteGate() {
  let opened = Promise.resolve()
  let open = (): void => undefined
  let refusal: Error | null = null
  return {
    close(): void {
      const next = Promise.withResolvers<void>()
      opened = next.promise
      open = next.resolve
    },
    open: (): void => open(),
    refuse(error: Error | null): void {
      refusal = error
    },
    async pass(): Promise<void> {
      await opened
      if (refusal !== null) throw refusal
    },
  }
}

/** For tests: a database whose writes pass the gate; `writes` holds those that are under way. */
export function gatedDatabase(
  gate: ReturnType<typeof createWriteGate>,
  { database, writes }: { readonly database: Database; readonly writes: Set<Promise<unknown>> },
  onJournal: () => void,
): Database {
  const { capabilities, read, compile } = database
  async function write<Result>(startWrite: () => Promise<Result>): Promise<Result> {
    await gate.pass()
    const written = startWrite()
    writes.add(written)
    try {
      return await written
    } finally {
      writes.delete(written)
    }
  }
  return {
    capabilities,
    read,
    compile,
    changeCount: (tables) => database.changeCount(tables),
    close: () => database.close(),
    batch(statements, options) {
      if (options?.durable === false) onJournal()
      return write(() => database.batch(statements, options))
    },
    transaction: (work, options) => write(() => database.transaction(work, options)),
  }
}
