import type { WorkspaceScene } from '../../../testing/browser/dashboard.ts'
import { seedCalls } from '../../../testing/seed-calls.ts'
import { withDatabase } from '../../../testing/server-database.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MINUTE_MS = 60_000
/** Ages of the calls: two in the last seven days and one before. */
const STARTED_AGO_MS = [HOUR_MS, 2 * HOUR_MS, 10 * DAY_MS]

/** Seeds three one-minute calls of an agent. The first and last are successful. */
export async function seedCallsOf({ server }: WorkspaceScene, agentId: string): Promise<void> {
  const now = Date.now()
  const figures = { p50: 780, p90: 1_080, p95: 1_100, p99: 1_100, min: 640, max: 1_100, num: 2 }
  const calls = STARTED_AGO_MS.map((agoMs, index) => ({
    call_id: `call_${String(index + 1).padStart(26, '0')}`,
    workspace_id: server.workspaceId,
    agent_id: agentId,
    created_at: now - agoMs,
    started_at: now - agoMs,
    ended_at: now - agoMs + MINUTE_MS,
    duration_ms: MINUTE_MS,
    successful: index % 2 === 0 ? (1 as const) : (0 as const),
    cost_total: 71_200,
    latency: JSON.stringify({ e2e: figures }),
  }))
  await withDatabase(server, (database) => seedCalls(database, calls))
}

/** Agent exported from the Retell dashboard. */
export const RETELL_AGENT = {
  agent_id: '',
  channel: 'voice',
  agent_name: 'Ada of Retell',
  version: 4,
  is_published: true,
  response_engine: { type: 'retell-llm', llm_id: 'llm_of_theirs', version: 4 },
  language: 'de-DE',
  voice_id: '11labs-Somebody',
  volume: 1.2,
  max_call_duration_ms: 600_000,
  interruption_sensitivity: 0.9,
  responsiveness: 0.8,
  ambient_sound: null,
  voicemail_option: { action: { type: 'hangup' } },
  retellLlmData: {
    llm_id: 'llm_of_theirs',
    version: 4,
    model: 'offline',
    general_prompt: 'Answer in one sentence.',
    general_tools: [
      { type: 'end_call', name: 'hang_up', description: 'Ends the call.' },
      { type: 'agent_swap', name: 'to_sales', agent_id: 'agent_of_theirs' },
    ],
  },
} as const
