import { sql } from 'kysely'
import { callIdOf } from '../../test/full/dashboard/scene-conversations.ts'
import { type SceneRecords, seedRecords, senderOf, VOICE } from '../../test/full/dashboard/scene-records.ts'
import type { ServerClient } from '../running-server.ts'
import { type SeededCall, seedCalls } from '../seed-calls.ts'
import { createChatRow } from '../seed-chats.ts'
import { execute, insertRows, withDatabase } from '../server-database.ts'

const DAY_MS = 86_400_000
const CALLS = 420
const CHATS = 90
const DAYS = 30

/** Creates pseudorandom numbers from 0 to 1 that are the same in every run. */
function createDice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const CUSTOMERS = [
  'Ines Albrecht',
  'Jonas Petersen',
  'Amira Haddad',
  'Lena Vogt',
  'Tomasz Nowak',
  'Sofia Marchetti',
  'Emre Yıldız',
  'Clara Brandt',
  'Henrik Sørensen',
  'Noor van Dijk',
]
const SUMMARIES = [
  'Has a flat tire and will bring the bicycle on Friday.',
  'Asked about the price of a service and booked one for next week.',
  'Asked whether the brake pads have arrived.',
  'Moved an appointment from Tuesday to Thursday.',
  'Asked for a mechanic and was transferred.',
]
const MORE_AGENTS = ['After hours', 'Service reminders', 'Rentals', 'Winter storage'] as const

/** Seeds a bicycle repair shop with agents, numbers and a month of calls and chats. */
export async function seedWorkshop(server: ServerClient): Promise<SceneRecords> {
  const records = await seedRecords(server)
  const send = senderOf(server)
  const engine = { type: 'llm', llm_id: records.llmId }
  const agents = [{ id: records.agentId, name: 'Front desk, mornings' }]
  for (const name of MORE_AGENTS) {
    const response = await send('POST', '/api/agents', { agent_name: name, voice_id: VOICE, response_engine: engine })
    const { agent_id: id = '' } = response
    if (name !== 'Winter storage') await send('POST', `/api/agents/${id}/publish`, { version: 1, title: 'Opening' })
    agents.push({ id, name })
  }
  await send('POST', '/api/numbers', { number: '+14155550122', nickname: 'Rentals' })
  await send('POST', '/api/numbers', { number: '+14155550133', nickname: 'After hours' })
  const { body } = await server.call<{ accountSid: string }>('GET', `/api/workspaces/${server.workspaceId}`)
  await server.call('PATCH', '/api/branding', {
    body: { tenantId: body.accountSid, productName: 'Pedal Voice', primaryColor: '#0f5f5c', accentColor: '#b4530a' },
  })
  await withDatabase(server, async (database) => {
    await seedCalls(database, createCalls(agents))
    await insertRows(database, 'chats', createChats(agents))
    for (const [index, { id }] of agents.entries()) {
      const updatedAt = Date.now() - (index + 1) ** 3 * 5_400_000
      await execute(database, sql`update resource_versions set updated_at = ${updatedAt} where resource_id = ${id}`)
    }
  })
  return records
}

type NamedAgents = readonly { readonly id: string; readonly name: string }[]

function pickItem<Item>(items: readonly [Item, ...Item[]] | readonly Item[], dice: () => number): Item {
  return items[Math.floor(dice() * items.length)] as Item
}

function createCalls(agents: NamedAgents): readonly SeededCall[] {
  const dice = createDice(7)
  const now = Date.now()
  return Array.from({ length: CALLS }, (_, index) => {
    const { id, name } = pickItem(agents, dice)
    const startedAt = Math.round(now - dice() ** 1.3 * DAYS * DAY_MS) - 600_000
    const isMissed = dice() < 0.06
    const durationMs = Math.round(20_000 + dice() ** 2 * 240_000)
    const cost = Math.round(durationMs * (0.9 + dice() * 0.4))
    const p50 = Math.round(520 + dice() * 420)
    const percentiles = { p50, p90: p50 + 220, p95: p50 + 260, p99: p50 + 300, min: p50 - 180, max: p50 + 310, num: 6 }
    const caller = `+1415555${String(1_000 + Math.floor(dice() * 8_999))}`
    const endedFields: Partial<SeededCall> = {
      started_at: startedAt,
      ended_at: startedAt + durationMs,
      duration_ms: durationMs,
      sentiment: pickItem(['Positive', 'Positive', 'Neutral', 'Neutral', 'Negative'], dice),
      successful: dice() < 0.86 ? 1 : 0,
      summary: pickItem(SUMMARIES, dice),
      disconnection_reason: pickItem(['user_hangup', 'user_hangup', 'agent_hangup', 'call_transfer'], dice),
      cost_total: cost,
      cost_gross: cost,
      latency: JSON.stringify({ e2e: percentiles }),
      transcript: 'Agent: Pedal and Spoke, good morning.\nUser: Good morning.',
    }
    const missedFields = {
      status: 'not_connected',
      started_at: null,
      ended_at: null,
      duration_ms: null,
      disconnection_reason: 'dial_no_answer',
    }
    return {
      call_id: callIdOf(1_000 + index),
      agent_id: id,
      agent_name: name,
      customer_name: pickItem(CUSTOMERS, dice),
      direction: isMissed || dice() < 0.2 ? 'outbound' : 'inbound',
      from_number: caller,
      to_number: '+14155550111',
      created_at: startedAt,
      updated_at: startedAt + durationMs,
      ...(isMissed ? missedFields : endedFields),
      ...(index % 90 === 5 && { status: 'error', disconnection_reason: 'error_no_audio_received' }),
    }
  })
}

function createChats(agents: NamedAgents): readonly Readonly<Record<string, unknown>>[] {
  const dice = createDice(11)
  const now = Date.now()
  return Array.from({ length: CHATS }, (_, index) => {
    const { id, name } = pickItem(agents, dice)
    const startedAt = Math.round(now - dice() ** 1.3 * DAYS * DAY_MS) - 900_000
    const turns = 1 + Math.floor(dice() * 7)
    const endedAt = startedAt + turns * 40_000
    const analysis = {
      summary: pickItem(SUMMARIES, dice),
      sentiment: pickItem(['Positive', 'Neutral', 'Neutral'], dice),
      successful: dice() < 0.9,
      customData: {},
    }
    return {
      ...createChatRow({
        chat_id: `chat_${String(index).padStart(26, '0')}`,
        agent_id: id,
        agent_name: name,
        status: 'completed',
        turn_count: turns,
        message_count: turns * 2,
        end_reason: 'silence',
        analysis: JSON.stringify(analysis),
        started_at: startedAt,
        ended_at: endedAt,
        updated_at: endedAt,
      }),
    }
  })
}
