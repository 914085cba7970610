/** An error that prevents the start; one sentence for the terminal. */
export class StartError extends Error {}

/** Turns startup errors that the operator can fix into one sentence without a stack. */
export async function orStartError<Result>(work: () => Result | Promise<Result>, subject?: string): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    throw new StartError(subject === undefined ? sentence : `${subject}: ${sentence}`)
  }
}
