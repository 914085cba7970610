import type { Database } from '../../packages/server/src/kernel/storage/database.ts'
import { type SeededCall, seedCalls } from '../../testing/seed-calls.ts'

/** A year of generated calls for benchmarks, identical in every run. */

const DAY_MS = 86_400_000
const FIRST_NAMES = 'Maria James Anna Robert Linda Michael Sofia David Elena Thomas Laura Daniel Emma Paul Julia'.split(
  ' ',
)
const SYLLABLES = 'ber man son ler ski ton field mar rich wald den stein ova ez ini ard well brook ham lin'.split(' ')
const AREAS = '415 212 310 646 702 305 617 512 206 303'.split(' ')
/** Cumulative share of calls per workspace. */
const WORKSPACES = [0.4, 0.65, 0.83, 0.95, 1]
const AGENTS = 50
const BUSINESS_NUMBERS = 200
const ROWS_PER_BATCH = 10_000

/** Time of the last call in every history. */
export const HISTORY_END_MS = Date.UTC(2026, 0, 31, 12)

/** Creates a generator of numbers in [0, 1) that depend only on the seed. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

export const toAgentId = (index: number): string => `agent_${index.toString(16).padStart(26, '0')}`
/** Returns the workspace of an agent. Agents are assigned to workspaces in rotation. */
export const getWorkspace = (agent: number): number => 1 + (agent % WORKSPACES.length)

/** Fills an empty database with calls in chronological order, spread evenly over the year before `HISTORY_END_MS`. */
export async function fillHistory(database: Database, size: number): Promise<void> {
  const random = createRandom(1)
  const stepMs = (365 * DAY_MS) / size
  for (let start = 0; start < size; start += ROWS_PER_BATCH) {
    const count = Math.min(ROWS_PER_BATCH, size - start)
    const calls = Array.from({ length: count }, (_, index) =>
      createCall(random, HISTORY_END_MS - (size - 1 - start - index) * stepMs),
    )
    await seedCalls(database, calls)
  }
}

function createCall(random: () => number, callTime: number): SeededCall {
  const pickItem = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const createHex = (length: number): string =>
    Array.from({ length: Math.ceil(length / 8) }, () =>
      Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    )
      .join('')
      .slice(0, length)
  const createPhoneNumber = (): string => `+1${pickItem(AREAS)}${String(Math.floor(random() * 1e7)).padStart(7, '0')}`
  const share = random()
  const workspace = WORKSPACES.findIndex((bound) => share < bound)
  const agent = Math.floor((random() * AGENTS) / WORKSPACES.length) * WORKSPACES.length + workspace
  const isPhone = random() < 0.8
  const outcome = random()
  const status = outcome < 0.85 ? 'ended' : outcome < 0.95 ? 'not_connected' : outcome < 0.9999 ? 'error' : 'ongoing'
  const createdAt = Math.floor(callTime)
  const durationMs = status === 'ended' ? Math.floor(-Math.log(1 - random()) * 120_000) : null
  const businessNumber = `+1800${String(5_550_000 + Math.floor(random() * BUSINESS_NUMBERS)).padStart(7, '0')}`
  const name = `${pickItem(FIRST_NAMES)} ${pickItem(SYLLABLES)}${pickItem(SYLLABLES)}`
  return {
    call_id: `call_${createHex(26)}`,
    workspace_id: workspace + 1,
    call_type: isPhone ? 'phone_call' : 'web_call',
    status,
    direction: isPhone ? 'inbound' : null,
    agent_id: toAgentId(agent),
    agent_version: 1 + Math.floor(random() * 3),
    agent_name: `Desk ${agent}`,
    from_number: isPhone ? createPhoneNumber() : null,
    to_number: isPhone ? businessNumber : null,
    call_sid: isPhone ? `CA${createHex(32)}` : null,
    customer_name: random() < 0.6 ? name : null,
    parent_call_id: random() < 0.04 ? `call_${createHex(26)}` : null,
    archived_at: random() < 0.05 ? createdAt : null,
    created_at: createdAt,
    started_at: durationMs === null ? null : createdAt,
    ended_at: durationMs === null ? null : createdAt + durationMs,
    duration_ms: durationMs,
    updated_at: createdAt,
    cost_total: durationMs === null ? null : Math.round(durationMs * 1.2),
    transcript: 'Agent: Good morning, how can I help?\nUser: I would like to move my appointment.\n'.repeat(8),
  }
}
