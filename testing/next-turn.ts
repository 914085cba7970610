/** Resolves with the next turn of the event loop: time for what a database or another thread has to do, which is real. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
