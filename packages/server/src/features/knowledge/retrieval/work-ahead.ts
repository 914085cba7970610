/** Lets a few pieces of work run ahead of whoever makes them. */
export interface WorkAhead {
  /** Adds work that has begun; waits while as many as may are under way. Rejects with what an earlier one failed with. */
  add(work: Promise<unknown>): Promise<void>
  /** Waits for all that was added. */
  finish(): Promise<void>
}

/** Allows `most` pieces of work at the same time. */
export function workAhead(most: number): WorkAhead {
  const underWay: Promise<unknown>[] = []
  return {
    async add(work) {
      // Its failure is told by whoever waits for it next, which may be later than it happens.
      work.catch(() => undefined)
      underWay.push(work)
      if (underWay.length >= most) await underWay.shift()
    },
    async finish() {
      await Promise.all(underWay.splice(0))
    },
  }
}
