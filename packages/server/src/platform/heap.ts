import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How much the heap may grow between two collections of everything, by what was alive after the last one. */
const GROWING_PERCENT = 100

/**
 * Has everything collected less often, from now on and in the whole process. Left to itself the heap may grow by
 * some tenths; the sound of calls comes and goes beside it and counts as well, so that with 200 of them everything was collected
 * up to twice a second, with a pause of 10 to 25 ms: more than a frame may wait. Costs memory, at most as much again as the heap.
 */
export function reduceGcFrequency(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
}

/**
 * Gives memory back that only the start needed, some 20 MB. Stops this thread for about 100 ms: call it only while nobody waits.
 */
export function shrinkHeap(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  // Any other kind leaves the young generation as large as the start made it.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
