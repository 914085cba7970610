/** The installation cannot start: one sentence for the terminal. */
export class StartError extends Error {}

/** What stops a start and can be mended by the operator is one sentence, not a stack. */
export async function orStartError<Result>(work: () => Result | Promise<Result>, subject?: string): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    throw new StartError(subject === undefined ? sentence : `${subject}: ${sentence}`)
  }
}
