/** An error that prevents the start, with one sentence for the terminal. */
export class StartError extends Error {}

/** Runs startup work. Converts errors that the operator can fix into one sentence without a stack. */
export async function runStartup<Result>(work: () => Result | Promise<Result>, subject?: string): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    throw new StartError(subject === undefined ? sentence : `${subject}: ${sentence}`)
  }
}
