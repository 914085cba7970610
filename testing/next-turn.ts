/** Resolves in the next turn of the event loop, which gives databases and threads real time. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
