import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Chat } from '@parley/contract/chat'
import { formatSegmentKey } from '../../../packages/server/src/features/recordings/recording-layout.ts'
import { createBlobFolder } from '../../../packages/server/src/platform/blobs/blob-folder.ts'
import type { CallEventRow } from '../../../packages/server/src/tables/call-tables.ts'
import { createBabble } from '../../../testing/browser/audio-samples.ts'
import type { ServerClient } from '../../../testing/running-server.ts'
import { type SeededCall, seedCalls } from '../../../testing/seed-calls.ts'
import { insertRows, withDatabase } from '../../../testing/server-database.ts'
import type { Send, Words } from './scene-records.ts'

export interface ConversationPlace {
  readonly server: ServerClient
  readonly send: Send
  readonly words: Words
  readonly agentId: string
  readonly chatAgentId: string
  readonly llmId: string
}

export const callIdOf = (index: number): string => `call_${String(index).padStart(26, '0')}`

/** Seeds a chat with three messages and an ended call of 30 seconds with recording, transcript and events. */
export async function seedChatAndCall(
  place: ConversationPlace,
): Promise<{ readonly chatId: string; readonly callId: string }> {
  const { server, send, words, agentId } = place
  const { chatId } = await send<Chat>('POST', '/api/chats', {
    agentId,
    metadata: { ticket: words('A-17') },
    dynamicVariables: { name: words('Ines') },
  })
  await send('POST', `/api/chats/${chatId}/completions`, { content: words('Good morning, I have a flat tire.', 2_000) })
  const callId = callIdOf(1)
  await seedRecording(server, callId)
  await withDatabase(server, async (database) => {
    await seedCalls(database, [callRow(callId, place)])
    await insertRows(
      database,
      'call_events',
      eventRows(callId, words).map((row) => ({ ...row })),
    )
  })
  return { chatId, callId }
}

const RATE_HZ = 8_000
const SEGMENT_MS = 4_000
const LENGTH_MS = 30_000
const STARTED_AGO_MS = 3_600_000

/** Writes a recording in which both sides speak in turns. */
async function seedRecording({ dataDirectory }: ServerClient, callId: string): Promise<void> {
  const blobs = createBlobFolder({ path: join(dataDirectory, 'recordings'), makeUniqueSuffix: randomUUID })
  for (let index = 0; index * SEGMENT_MS < LENGTH_MS; index += 1) {
    const lengthMs = Math.min(SEGMENT_MS, LENGTH_MS - index * SEGMENT_MS)
    const speech = createBabble(lengthMs, RATE_HZ)
    const stereo = new Int16Array(speech.length * 2)
    for (const [at, sample] of speech.entries()) stereo[at * 2 + (index % 2)] = sample
    await blobs.put(
      formatSegmentKey(callId, index, { rateHz: RATE_HZ, segmentMs: SEGMENT_MS }),
      new Uint8Array(stereo.buffer),
    )
  }
}

function callRow(callId: string, { words, agentId, llmId }: ConversationPlace): SeededCall {
  const startedAt = Date.now() - STARTED_AGO_MS
  const figures = { p50: 780, p90: 1_020, p95: 1_090, p99: 1_120, min: 640, max: 1_120, num: 2 }
  return {
    call_id: callId,
    agent_id: agentId,
    agent_name: words('Front desk'),
    customer_name: words('Ines Albrecht'),
    from_number: '+14155550142',
    to_number: '+14155550111',
    created_at: startedAt,
    started_at: startedAt,
    ended_at: startedAt + LENGTH_MS,
    updated_at: startedAt + LENGTH_MS,
    duration_ms: LENGTH_MS,
    sentiment: 'Positive',
    successful: 1,
    summary: words('Ines has a flat tire and will bring her bicycle on Friday.', 2_000),
    cost_voice: 21_000,
    cost_llm: 3_400,
    cost_gross: 24_400,
    cost_total: 24_400,
    cost_breakdown: JSON.stringify([
      { product: 'llm', model: 'offline', quantity: 812, unit: 'input-token', cost: 0.0034 },
      { product: 'synthesis', model: 'flite', quantity: 212, unit: 'character', cost: 0.021 },
    ]),
    agent_path: JSON.stringify([{ agentId, agentVersion: 1, at: new Date(startedAt).toISOString() }]),
    metadata: JSON.stringify({ ticket: words('A-17') }),
    given_variables: JSON.stringify({ name: words('Ines') }),
    collected_variables: JSON.stringify({ day: words('Friday') }),
    custom_data: JSON.stringify({ bicycle: words('Blue trekking bike') }),
    engine_id: llmId,
    engine_version: 1,
    latency: JSON.stringify({ e2e: figures, model: { ...figures, p50: 310 }, synthesis: { ...figures, p50: 120 } }),
    recording: JSON.stringify({
      rateHz: RATE_HZ,
      durationMs: LENGTH_MS,
      sizeBytes: 44 + (LENGTH_MS * RATE_HZ * 4) / 1_000,
    }),
    transcript: LINES.map(([side, text]) => `${side === 'agent' ? 'Agent' : 'User'}: ${words(text, 2_000)}`).join('\n'),
  }
}

/** Speaker and text of each utterance of four seconds. */
const LINES = [
  ['agent', 'Pedal and Spoke, good morning. This is Robin.'],
  ['user', 'Good morning, I have a flat tire. Can you fix it this week?'],
  ['agent', 'Let me check. Friday is open. It costs $15.'],
  ['user', 'Friday works, thank you.'],
] as const

function eventRows(callId: string, words: Words): readonly CallEventRow[] {
  const spoken = LINES.flatMap(([side, plain], line): [number, string, object][] => {
    const startMs = line * SEGMENT_MS
    const times = { startMs, endMs: startMs + SEGMENT_MS - 200, words: [] }
    const content = words(plain, 2_000)
    const turnId = `turn_${Math.ceil(line / 2)}`
    if (side === 'user') return [[startMs, 'user-message', { turnId, content, source: 'speech', ...times }]]
    const kind = line === 0 ? 'opening' : 'reply'
    const said = { turnId: line === 0 ? null : turnId, content, generatedContent: content, interrupted: false, kind }
    return [[startMs, 'agent-message', { ...said, ...times }]]
  })
  const tool = { turnId: 'turn_1', toolCallId: 'tool_1', name: 'free_days' }
  const latency = {
    ...{ totalMs: 780, endOfTurnMs: 300, recogniserMs: 60, retrievalMs: 20, modelFirstTokenMs: 210 },
    ...{ firstClauseMs: 50, synthesisFirstAudioMs: 120, playoutMs: 20 },
  }
  const events: [number, string, object][] = [
    [0, 'call-started', {}],
    ...spoken.slice(0, 2),
    [7_900, 'tool-call', { ...tool, arguments: JSON.stringify({ week: 48, note: words('soon') }) }],
    [7_950, 'tool-result', { ...tool, content: words('["Friday"]', 2_000), successful: true, durationMs: 48 }],
    [7_960, 'turn', { turnId: 'turn_1', latency, decisions: [] }],
    [7_970, 'variables', { variables: { day: words('Friday') } }],
    ...spoken.slice(2),
    [15_900, 'warning', { code: 'stand_in', message: words('A fallback model answered.', 500) }],
    [LENGTH_MS, 'call-ended', { reason: 'user_hangup' }],
  ]
  const startedAt = Date.now() - STARTED_AGO_MS
  return events.map(([atMs, type, content], position) => ({
    ...{ call_id: callId, position, at_ms: atMs, created_at: startedAt + atMs, type, content: JSON.stringify(content) },
  }))
}
