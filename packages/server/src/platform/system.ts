import { randomFillSync } from 'node:crypto'
import type { Clock, MakeId } from '@parley/engine/ports'

/** Node's timers overflow above a signed 32-bit number of milliseconds and then fire immediately. */
const MAX_TIMER_MS = 2_147_483_647

/** 26 hex digits: 104 random bits. */
const ID_BYTES = 13

/** Number of ids per system call for random bytes. */
const IDS_PER_BATCH = 256

const pool = Buffer.alloc(ID_BYTES * IDS_PER_BATCH)
let poolOffset = pool.length

/** The machine's time and timers. Delays can have any length. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    let timer: NodeJS.Timeout
    const startTimer = (remainingMs: number): void => {
      const stepMs = Math.min(remainingMs, MAX_TIMER_MS)
      timer = setTimeout(() => (remainingMs > stepMs ? startTimer(remainingMs - stepMs) : callback()), stepMs)
    }
    startTimer(delayMs)
    return () => clearTimeout(timer)
  },
}

/** Generates `<prefix>_<26 lowercase hex>` with the system's cryptographic generator, so that ids cannot be guessed. */
export const randomId: MakeId = (prefix) => {
  if (poolOffset === pool.length) {
    randomFillSync(pool)
    poolOffset = 0
  }
  const start = poolOffset
  poolOffset += ID_BYTES
  return `${prefix}_${pool.toString('hex', start, poolOffset)}`
}

/** Returns a number from 0 to below 1, to spread simultaneous work. Not for secrets. */
export const randomFraction = (): number => Math.random()
