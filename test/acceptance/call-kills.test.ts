import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '@parley/contract/call'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CallClient, CallRejectedError, joinCall } from '../../testing/call-client.ts'
import { startModelServer } from '../../testing/model-server/model-server.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { send } from '../../testing/server-test.ts'
import { startToolServer } from '../../testing/tool-server/tool-server.ts'
import {
  callReply,
  checkTranscript,
  claimToken,
  countLive,
  createCall,
  createSpeakingAgent,
  expectNoCallLeftovers,
  messagesIn,
  readCall,
  readRecording,
  readTranscript,
  setBackgroundTone,
  startCall,
  toneRatio,
  writeDraftRecording,
} from '../full/call-scene.ts'
import { eventually, hasPostgres, startCluster } from '../full/cluster.ts'
import {
  analysisReply,
  type CallReceiver,
  checkWebhooks,
  countRetriedJobs,
  recordRunningJobs,
  startCallReceiver,
  type WebhookTimes,
  waitForTargetCallWebhooks,
} from './call-receiver.ts'

/** Number of kills. `ROUNDS=50` takes 15 minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 4)
/** `SEED` repeats the times of the kills. */
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const SHARDS = ROUNDS < 8 ? [0] : [0, 1]
const TIMEOUT_MS = 60_000 + ROUNDS * 45_000
/** Guaranteed limits. */
const CLEANUP_TIMEOUT_MS = 15_000
/** Audio that a kill may lose at 8 kHz: the incomplete segment and the two seconds that the recorder buffers. */
const MAX_LOST_AUDIO_MS = 6_000
/** Maximum gap between frames of other calls. A busy machine has longer gaps, also before the kill. */
const TYPICAL_FRAME_GAP_MS = 100
/** Timeout for the first audio of a call. */
const SETTLE_MS = 1_500
/** Long enough for a stored segment before the kill. */
const LONG_CALL_MS = 9_000
/** What the caller's end saw or sent this long before the kill is taken in: events are gathered for 50 ms, machines are busy. */
const RECORDING_DELAY_MS = 600
/** Maximum difference between the clocks of a process and a database. */
const CLOCK_SKEW_MS = 250

/** Activity of each call of a node when it is killed. */
const MOMENTS = ['idle', 'opening', 'thinking', 'speaking', 'tool', 'leaving', 'ending', 'joining', 'claimed'] as const
type Moment = (typeof MOMENTS)[number]
const LATE_MOMENTS: ReadonlySet<Moment> = new Set(['opening', 'joining', 'claimed'])

/** A call on the killed node. */
interface TargetCall {
  readonly moment: Moment
  readonly callId: string
  readonly accessToken: string
  /** Time just before the call was joined. */
  readonly startedAtMs: number
  readonly client: CallClient | null
  readonly toneHz: number
}

interface Scene {
  readonly agentId: string
  readonly recordings: string
  readonly receiver: CallReceiver
  /** Calls that were live during kills. */
  readonly jobsRunningAtKills: Set<string>
  readonly random: () => number
}

/** Delay until the kill, with a random part. */
async function startTargetCalls(
  server: RunningServer,
  { agentId, random }: Pick<Scene, 'agentId' | 'random'>,
): Promise<readonly TargetCall[]> {
  const startTargetCall = async (moment: Moment, index: number): Promise<TargetCall> => {
    const call = await createCall(server, agentId)
    const about = { moment, callId: call.callId, accessToken: call.accessToken ?? '' }
    if (moment === 'joining' || moment === 'claimed') return { ...about, startedAtMs: 0, client: null, toneHz: 0 }
    const startedAtMs = performance.now()
    const client = await joinCall(server.url, about.accessToken)
    return { ...about, startedAtMs, client, toneHz: setBackgroundTone(client, index) }
  }
  const earlyMoments = MOMENTS.filter((moment) => !LATE_MOMENTS.has(moment))
  const targetCalls = await Promise.all(earlyMoments.map((moment, index) => startTargetCall(moment, index)))
  await sleep(LONG_CALL_MS)
  const finalMessages: Partial<Record<Moment, string>> = {
    thinking: 'Think of a number',
    speaking: 'Count to twelve',
    tool: 'Look that up',
    // Silent calls need no model for their analysis, so their jobs are short.
    leaving: 'Take a note',
    ending: 'Take a note',
  }
  await Promise.all(
    targetCalls.map(async ({ moment, client }) => {
      const words = finalMessages[moment]
      if (words === undefined) return
      await sleep(random() * 500)
      client?.type(words)
    }),
  )
  const lateCalls = await Promise.all([...LATE_MOMENTS].map((moment) => startTargetCall(moment, 15)))
  await sleep(random() * 2_500)
  return [...targetCalls, ...lateCalls]
}

/** Ends some calls and starts one at the moment of the kill. */
async function killDuringActivity(
  server: RunningServer,
  targetCalls: readonly TargetCall[],
  random: () => number,
): Promise<number> {
  for (const { moment, client, accessToken, callId } of targetCalls) {
    if (moment === 'leaving') client?.leave().catch(() => undefined)
    if (moment === 'ending') send(server, 'POST', `/api/v1/calls/${callId}/end`).catch(() => undefined)
    if (moment === 'joining') {
      joinCall(server.url, accessToken).then(
        (client) => client[Symbol.asyncDispose](),
        () => undefined,
      )
    }
  }
  await sleep(random() * 600)
  const callIdOf = (wanted: Moment): string => targetCalls.find(({ moment }) => moment === wanted)?.callId ?? ''
  await claimToken(server, callIdOf('claimed'), callIdOf('idle'))
  const killedAtMs = performance.now()
  await server.kill('SIGKILL')
  return killedAtMs
}

/** Status of a dead node's call on a live node. */
async function checkTargetCall(server: RunningServer, target: TargetCall, killedAtMs: number): Promise<string> {
  const { moment, client, callId, accessToken } = target
  const call = await readCall(server, callId)
  if (call.status === 'registered') {
    expect(['joining', 'claimed']).toContain(moment)
    await using again = await joinCall(server.url, accessToken)
    await again.waitForMessage('caption', ({ role }) => role === 'agent')
    await again.leave()
    return 'joined elsewhere'
  }
  if (call.status === 'ended') {
    expect(['leaving', 'ending', 'joining']).toContain(moment)
    expect(['user_hangup', 'manual_stopped']).toContain(call.disconnectionReason)
  } else {
    expect([moment, call.status, call.disconnectionReason]).toEqual([moment, 'error', 'error_node_lost'])
  }
  const entries = await readTranscript(server, callId)
  checkTranscript(entries)
  if (client === null) return call.status
  // A call that was just joined may have no events yet.
  const audioMs = killedAtMs - (client.messages[0]?.atMs ?? killedAtMs)
  if (audioMs > RECORDING_DELAY_MS) expect(entries[0]?.type, moment).toBe('call-started')
  const webhookTimes = client.messages.filter(({ atMs }) => atMs < killedAtMs - RECORDING_DELAY_MS)
  for (const [role, type] of [
    ['user', 'user-message'],
    ['agent', 'agent-message'],
  ] as const) {
    const seen = webhookTimes.flatMap(({ message }) =>
      message.type === 'caption' && message.role === role && message.final && message.text !== '' ? [message.text] : [],
    )
    expect(messagesIn(entries, type).slice(0, seen.length), `${moment} ${role}`).toEqual(seen)
    for (const words of messagesIn(entries, type)) expect(call.transcript).toContain(words)
  }
  expect(call.durationMs, moment).toBeLessThanOrEqual(killedAtMs - target.startedAtMs + CLOCK_SKEW_MS)
  if (audioMs > LONG_CALL_MS) await checkRecording(server, target, call, audioMs)
  return call.status
}

async function checkRecording(
  server: RunningServer,
  { moment, toneHz }: TargetCall,
  call: Call,
  audioMs: number,
): Promise<void> {
  const heard = await readRecording(server, call.callId)
  expect(heard.durationMs, `recording of ${moment}`).toBeGreaterThanOrEqual(
    audioMs - MAX_LOST_AUDIO_MS - RECORDING_DELAY_MS,
  )
  expect(heard.durationMs).toBeLessThanOrEqual(audioMs + 2_500)
  expect(toneRatio(heard.caller, toneHz), `tone of ${moment}`).toBeGreaterThan(20)
  expect(toneRatio(heard.agent, toneHz), `no tone in the agent of ${moment}`).toBeLessThan(20)
  expect(Math.max(...heard.agent)).toBeGreaterThan(1_000)
}

interface Round {
  readonly slotsFreedMs: number
  readonly endedMs: number
  readonly webhookTimes: WebhookTimes
  /** Number of repeated webhooks. */
  readonly repetitions: number
  /** Frame gaps of the other node's calls before and after the kill. */
  readonly gapsMs: readonly [before: number, after: number]
  readonly outcomes: readonly string[]
}

/** Kills a node once and checks everything that must hold afterward. */
async function runRound(targetNode: RunningServer, takeoverNode: RunningServer, scene: Scene): Promise<Round> {
  const unaffectedCalls = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const client = await startCall(takeoverNode, scene.agentId)
      setBackgroundTone(client, 10 + index)
      return client
    }),
  )
  for (const client of unaffectedCalls) client.type('Count to twelve')
  await sleep(SETTLE_MS)
  const observedFromMs = performance.now()
  const targetCalls = await startTargetCalls(targetNode, scene)
  const killedAtMs = await killDuringActivity(targetNode, targetCalls, scene.random)
  const elapsedMs = (): number => performance.now() - killedAtMs
  await writeDraftRecording(scene.recordings, targetCalls[0]?.callId ?? '')
  await recordRunningJobs(takeoverNode, scene.jobsRunningAtKills)

  await eventually('their slots to be free', CLEANUP_TIMEOUT_MS, async () => {
    // The caller of a call that was being joined may be gone: its slot is kept for a minute.
    const calls = await Promise.all(targetCalls.map(({ callId }) => readCall(takeoverNode, callId)))
    const waiting = calls.filter(({ status }) => status === 'registered').length
    return (await countLive(takeoverNode)) <= unaffectedCalls.length + waiting || null
  })
  const slotsFreedMs = elapsedMs()
  await eventually('their end', CLEANUP_TIMEOUT_MS, async () => {
    const calls = await Promise.all(targetCalls.map(({ callId }) => readCall(takeoverNode, callId)))
    return calls.every(({ status }) => status !== 'ongoing') || null
  })
  const endedMs = elapsedMs()
  const gapMs = (fromMs: number, untilMs?: number): number =>
    Math.max(...unaffectedCalls.map((client) => client.measureLongestGapMs(fromMs, untilMs)))
  const gapsMs = [gapMs(observedFromMs, killedAtMs), gapMs(killedAtMs)] as const
  expect(Math.max(slotsFreedMs, endedMs)).toBeLessThan(CLEANUP_TIMEOUT_MS)

  const webhookTimes = await waitForTargetCallWebhooks(takeoverNode, idsOf(targetCalls), killedAtMs)

  const outcomes: string[] = []
  for (const target of targetCalls) {
    outcomes.push(`${target.moment}: ${await checkTargetCall(takeoverNode, target, killedAtMs)}`)
    await target.client?.[Symbol.asyncDispose]()
  }
  const { receiver } = scene
  for (const client of unaffectedCalls) {
    expect(client.isOpen).toBe(true)
    client.type('Goodbye')
    await client.waitForMessage('caption', ({ text }) => text.startsWith('You said: Goodbye'))
    expect(receiver.eventsOf(client.callId)).toEqual(['call_started'])
    await client.leave()
  }
  for (const { callId } of unaffectedCalls) await checkUnaffectedCall(takeoverNode, callId)
  const callIds = idsOf([...targetCalls, ...unaffectedCalls])
  const repetitions = await checkWebhooks(takeoverNode, receiver, { callIds, killedAtMs })
  await expectNoCallLeftovers(takeoverNode, scene.recordings)
  return { slotsFreedMs, endedMs, webhookTimes, repetitions, gapsMs, outcomes }
}

async function checkUnaffectedCall(server: RunningServer, callId: string): Promise<void> {
  const call = await eventually('its end', 5_000, async () => {
    const { status, ...rest } = await readCall(server, callId)
    return status === 'ongoing' ? null : { status, ...rest }
  })
  expect([call.status, call.disconnectionReason]).toEqual(['ended', 'user_hangup'])
  const entries = await readTranscript(server, callId)
  checkTranscript(entries)
  expect(messagesIn(entries, 'user-message')).toEqual(['Count to twelve', 'Goodbye'])
}

async function createTestEnvironment() {
  const model = await startModelServer({ keepRequests: false })
  model.defaultReply = (request) => analysisReply(request) ?? callReply(request)
  const [tools, receiver] = await Promise.all([startToolServer(), startCallReceiver()])
  // Each lookup hangs until the tool times out.
  tools.script(...Array.from({ length: 10 * ROUNDS }, () => ({ kind: 'hang' }) as const))
  const recordings = await mkdtemp(join(tmpdir(), 'parley-recordings-'))
  return {
    recordings,
    receiver,
    jobsRunningAtKills: new Set<string>(),
    toolUrl: tools.url,
    env: {
      OPENAI_BASE_URL: `${model.url}/v1`,
      ALLOW_PRIVATE_TARGETS: `127.0.0.1:${tools.port},127.0.0.1:${receiver.port}`,
      RECORDINGS_DIR: recordings,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([model.close(), tools.close(), receiver[Symbol.asyncDispose]()])
      await rm(recordings, { recursive: true, force: true })
    },
  }
}

const idsOf = (calls: readonly { readonly callId: string }[]): string[] => calls.map(({ callId }) => callId)

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

function createSeededRandom(shard: number): () => number {
  const numbers = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { seed: seed + shard, numRuns: 1_000 })
  let next = 0
  return () => numbers[next++ % numbers.length] ?? 0
}

describe.skipIf(!hasPostgres)('a node with live calls that is killed', () => {
  test.concurrent.for(SHARDS)(
    `leaves calls that are over, slots that are free and recordings that play (SEED=${seed}, shard %i)`,
    { timeout: TIMEOUT_MS },
    async (shard) => {
      await using environment = await createTestEnvironment()
      await using cluster = await startCluster({ env: environment.env })
      const { nodes } = cluster
      const agentId = await createSpeakingAgent(nodes[0], environment.toolUrl)
      const { recordings, receiver, jobsRunningAtKills } = environment
      await receiver.subscribeTo(nodes[0])
      const scene = { agentId, recordings, receiver, jobsRunningAtKills, random: createSeededRandom(shard) }
      const rounds: Round[] = []
      for (let round = 0; round < Math.ceil(ROUNDS / SHARDS.length); round += 1) {
        const [target, takeoverNode] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]]
        const played = await runRound(target, takeoverNode, scene)
        rounds.push(played)
        const { slotsFreedMs, endedMs, webhookTimes, gapsMs, repetitions, outcomes } = played
        const figures = [slotsFreedMs, endedMs, webhookTimes.endedMs, webhookTimes.analyzedMs, ...gapsMs]
          .map(Math.round)
          .join(', ')
        console.log(
          `round ${shard}.${round}: free, ended, told of the end, of the analysis, gaps before and after in ms: ${figures}; ` +
            `${repetitions} webhooks twice; ${outcomes.join(', ')}`,
        )
        await target.start()
      }
      const worst = Math.max(...rounds.map(({ slotsFreedMs, endedMs }) => Math.max(slotsFreedMs, endedMs)))
      const [maxEndedMs, maxAnalyzedMs] = [
        Math.max(...rounds.map(({ webhookTimes }) => webhookTimes.endedMs)),
        Math.max(...rounds.map(({ webhookTimes }) => webhookTimes.analyzedMs)),
      ]
      const retried = await countRetriedJobs(nodes[0], jobsRunningAtKills)
      console.log(
        `SEED=${seed} shard ${shard}: ${rounds.length} kills, all over within ${Math.round(worst)} ms, ends told within ` +
          `${Math.round(maxEndedMs)} ms and analyses within ${Math.round(maxAnalyzedMs)} ms; ${retried} jobs were begun twice`,
      )
      const [before, after] = [0, 1].map((part) => medianOf(rounds.map(({ gapsMs }) => gapsMs[part] ?? 0)))
      expect(after).toBeLessThan(Math.max(TYPICAL_FRAME_GAP_MS, 2 * (before ?? 0)))
      for (const node of nodes) expect(await node.stop()).toEqual({ code: 0, signal: null })
    },
  )
})

test(`a single node that is killed ends its calls when it starts again (SEED=${seed})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  await using environment = await createTestEnvironment()
  await using server = await runServer({ embedded: true, env: environment.env })
  const agentId = await createSpeakingAgent(server, environment.toolUrl)
  const { receiver } = environment
  await receiver.subscribeTo(server)
  const random = createSeededRandom(7)
  for (let round = 0; round < Math.ceil(ROUNDS / 4); round += 1) {
    const targetCalls = await startTargetCalls(server, { agentId, random })
    const killedAtMs = await killDuringActivity(server, targetCalls, random)
    await writeDraftRecording(environment.recordings, targetCalls[0]?.callId ?? '')
    await recordRunningJobs(server, environment.jobsRunningAtKills)
    await server.start()
    const startedMs = performance.now()
    await eventually('the end of its calls', 3_000, async () => {
      const calls = await Promise.all(targetCalls.map(({ callId }) => readCall(server, callId)))
      return calls.every(({ status }) => status !== 'ongoing') || null
    })
    const endedMs = performance.now() - startedMs
    const webhookTimes = await waitForTargetCallWebhooks(server, idsOf(targetCalls), killedAtMs)
    const figures = [endedMs, webhookTimes.endedMs, webhookTimes.analyzedMs].map(Math.round).join(', ')
    console.log(`calls ended after the start, told of the end and of the analysis after the kill in ms: ${figures}`)
    for (const target of targetCalls) {
      await checkTargetCall(server, target, killedAtMs)
      await target.client?.[Symbol.asyncDispose]()
    }
    await checkWebhooks(server, receiver, { callIds: idsOf(targetCalls), killedAtMs })
    await expectNoCallLeftovers(server, environment.recordings)
  }
  console.log(`${await countRetriedJobs(server, environment.jobsRunningAtKills)} jobs were begun twice`)
  await expect(joinCall(server.url, 'join.call_1.1.x')).rejects.toThrow(CallRejectedError)
  expect(await server.stop()).toEqual({ code: 0, signal: null })
})
