import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Call } from '@parley/contract/call'
import type { CallEvent } from '@parley/contract/call-event'
import type { Concurrency } from '@parley/contract/concurrency'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { createTone } from '../../testing/browser/audio-samples.ts'
import { type CallClient, type CallClientOptions, joinCall } from '../../testing/call-client.ts'
import {
  findLastUserText,
  isRecord,
  type ModelReply,
  type ModelServerRequest,
} from '../../testing/model-server/reply.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { execute, withDatabase } from '../../testing/server-database.ts'
import { createAgent, expectBody, read, send } from '../../testing/server-test.ts'
import { eventually } from './cluster.ts'

const CLEANUP_TIMEOUT_MS = 10_000
const RATE_HZ = 8_000
/** Quieter than speech, but detectable, since nothing else in a recording is a pure tone. */
const TONE_AMPLITUDE = 0.001
/** Frequencies with whole periods per second, far enough apart to distinguish. */
const TONES_HZ = [300, 410, 520, 630, 740, 850, 960, 1_070, 1_180, 1_290, 1_400, 1_510, 1_620, 1_730, 1_840, 1_950]

/** A reply that takes about half a minute to speak. */
const COUNTING_REPLY = Array.from({ length: 12 }, (_, index) => `Number ${index + 1} is next in this list.`).join(' ')

/** Returns the scripted model's reply to what the caller says. */
export function callReply(request: ModelServerRequest): ModelReply {
  const messages = Array.isArray(request.body.messages) ? (request.body.messages as unknown[]).filter(isRecord) : []
  if (messages.at(-1)?.role === 'tool') return { text: 'That is done.' }
  const userText = findLastUserText(request)
  if (userText.startsWith('Think')) return { text: 'Well, let me think about that for you.', delayPerWordMs: 700 }
  if (userText.startsWith('Count')) return { text: COUNTING_REPLY }
  if (userText.startsWith('Look')) return { toolCalls: [{ name: 'look_up', arguments: '{}' }] }
  return { text: `You said: ${userText}.` }
}

/** Creates an agent with background sound, so that gaps are detectable. */
export async function createSpeakingAgent(
  server: RunningServer,
  toolUrl: string | null,
  fields: object = {},
): Promise<string> {
  const tools =
    toolUrl === null ? [] : [{ type: 'custom', name: 'look_up', url: toolUrl, method: 'POST', timeout_ms: 4_000 }]
  const agent = await createAgent(
    server,
    { agent_name: 'Desk', ambient_sound: 'coffee-shop', reminder_max_count: 0, ...fields },
    {
      ...(toolUrl !== null && { model: 'gpt-4.1' }),
      start_speaker: 'agent',
      begin_message: 'Hello, you have reached the desk. What can I do for you today?',
      general_tools: tools,
    },
  )
  return agent.agent_id
}

/** Creates a call that waits for its caller. */
export async function createCall(server: RunningServer, agentId: string, fields: object = {}): Promise<Call> {
  const body = { agentId, ...fields }
  return (await expectBody(201, send<{ call: Call }>(server, 'POST', '/api/v1/calls/web', body))).call
}

/** Creates a call and joins it. */
export async function startCall(
  server: RunningServer,
  agentId: string,
  options: CallClientOptions = {},
): Promise<CallClient> {
  const { accessToken } = await createCall(server, agentId)
  return await joinCall(server.url, accessToken ?? '', options)
}

/** Plays a tone that identifies the caller's recording. Returns its frequency. */
export function setBackgroundTone(client: CallClient, index: number): number {
  const frequencyHz = TONES_HZ[index % TONES_HZ.length] ?? 300
  client.setBackgroundTone(createTone(frequencyHz, 1_000, client.rateHz, TONE_AMPLITUDE))
  return frequencyHz
}

/** Simulates a node killed between taking a token and starting its call. `activeCallId` is a call of that node. */
export async function claimToken(server: RunningServer, callId: string, activeCallId: string): Promise<void> {
  await withDatabase(server, (database) =>
    execute(
      database,
      sql`update calls set token_used_at = created_at,
        node_id = (select node_id from calls where call_id = ${activeCallId}) where call_id = ${callId}`,
    ),
  )
}

/** Simulates a node killed while writing a segment. */
export async function writeDraftRecording(recordings: string, callId: string): Promise<void> {
  await writeFile(join(recordings, 'recordings', callId, '.draft-of-the-dead'), 'half a segment')
}

export async function readCall(server: RunningServer, callId: string): Promise<Call> {
  return (await expectBody(200, read<{ call: Call }>(server, `/api/v1/calls/${callId}`))).call
}

export async function readTranscript(server: RunningServer, callId: string): Promise<readonly CallEvent[]> {
  return (await expectBody(200, read<{ entries: CallEvent[] }>(server, `/api/v1/calls/${callId}/transcript`))).entries
}

export async function countLive(server: RunningServer): Promise<number> {
  return (await expectBody(200, read<Concurrency>(server, '/api/concurrency'))).currentUsage
}

/** Checks that positions have no gaps, the call starts at most once, and its end is the last event. */
export function checkTranscript(entries: readonly CallEvent[]): void {
  expect(entries.map(({ position }) => position)).toEqual(entries.map((_, index) => index))
  expect(entries.map(({ type }) => type).indexOf('call-ended')).toBe(entries.length - 1)
  expect(entries.filter(({ type }) => type === 'call-started').length).toBeLessThanOrEqual(1)
}

/** Returns the messages of the events in order. */
export function messagesIn(entries: readonly CallEvent[], type: 'user-message' | 'agent-message'): readonly string[] {
  return entries.flatMap((event) => (event.type === type ? [event.content] : []))
}

interface StereoRecording {
  readonly durationMs: number
  readonly caller: Int16Array
  readonly agent: Int16Array
}

/** Reads the recording of a call and checks its WAV header. */
export async function readRecording(server: RunningServer, callId: string): Promise<StereoRecording> {
  const url = new URL(`/api/v1/calls/${callId}/recording`, server.url)
  const { recordingUrl } = await readCall(server, callId)
  const signed = new URL(recordingUrl ?? '')
  url.search = signed.search
  const response = await fetch(url)
  expect(response.status, `recording of ${callId}`).toBe(200)
  const file = Buffer.from(await response.arrayBuffer())
  expect(file.toString('latin1', 0, 4) + file.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
  expect(file.readUInt32LE(4)).toBe(file.length - 8)
  expect([file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)]).toEqual([
    1,
    2,
    RATE_HZ,
    16,
  ])
  expect(file.toString('latin1', 36, 40)).toBe('data')
  expect(file.readUInt32LE(40)).toBe(file.length - 44)
  const samples = (file.length - 44) / 4
  const side = (offset: number): Int16Array =>
    Int16Array.from({ length: samples }, (_, index) => file.readInt16LE(44 + index * 4 + offset))
  return { durationMs: (samples * 1_000) / RATE_HZ, caller: side(0), agent: side(2) }
}

/** Returns the ratio of a tone to the strongest other tone, over whole seconds. */
export function toneRatio(samples: Int16Array, frequencyHz: number): number {
  const own = toneEnergy(samples, frequencyHz)
  return (
    own /
    Math.max(1e-9, ...TONES_HZ.filter((other) => other !== frequencyHz).map((other) => toneEnergy(samples, other)))
  )
}

function toneEnergy(samples: Int16Array, frequencyHz: number): number {
  const omega = (2 * Math.PI * frequencyHz) / RATE_HZ
  const length = Math.floor(samples.length / RATE_HZ) * RATE_HZ
  let [real, imaginary] = [0, 0]
  for (let index = 0; index < length; index += 1) {
    real += (samples[index] ?? 0) * Math.cos(omega * index)
    imaginary += (samples[index] ?? 0) * Math.sin(omega * index)
  }
  return Math.hypot(real, imaginary)
}

/** Counts resources that an ended call must not leave behind. */
async function countLeftovers(server: RunningServer, recordings: string): Promise<Record<string, number>> {
  const files = await readdir(recordings, { recursive: true }).catch(() => [])
  const drafts = files.filter((name) => name.includes('.draft-')).length
  return await withDatabase(server, async ({ read: reader }) => {
    const rows = await reader.selectFrom('calls').select(['status', 'node_id', 'token_used_at']).execute()
    const leases = await reader.selectFrom('leases').select('lease_id').execute()
    return {
      ongoing: rows.filter(({ status }) => status === 'ongoing').length,
      claimed: rows.filter(({ status, node_id }) => status !== 'ongoing' && node_id !== null).length,
      leases: leases.length,
      drafts,
    }
  })
}

/** Waits until ended calls have left nothing behind. */
export async function expectNoCallLeftovers(server: RunningServer, recordings: string): Promise<void> {
  let remaining: Readonly<Record<string, number>> = {}
  const check = async (): Promise<true | null> => {
    remaining = await countLeftovers(server, recordings)
    return Object.values(remaining).every((count) => count === 0) || null
  }
  await eventually('nothing to be left', CLEANUP_TIMEOUT_MS, check).catch((error) => {
    throw new Error(JSON.stringify(remaining), { cause: error })
  })
}
