import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '@parley/contract/call'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CallClient, CallRefused, joinCall } from '../../testing/call-client.ts'
import { startModelServer } from '../../testing/model-server/model-server.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { send } from '../../testing/server-test.ts'
import { startToolServer } from '../../testing/tool-server/tool-server.ts'
import {
  type CallReceiver,
  checkAllTold,
  countRetriedJobs,
  noteJobs,
  reportOnCall,
  startCallReceiver,
  type Told,
  untilVictimsTold,
} from './call-receiver.ts'
import {
  beginCall,
  checkRecord,
  claimToken,
  countLive,
  createCall,
  createSpeaker,
  expectNothingLeft,
  hum,
  humRatio,
  leaveDraft,
  readCall,
  readRecord,
  readRecording,
  replyInCall,
  wordsIn,
} from './call-scene.ts'
import { eventually, hasPostgres, startCluster } from './cluster.ts'

/** Kills in a run; `ROUNDS=50` looks closer, for a quarter of an hour. */
const ROUNDS = Number(process.env.ROUNDS ?? 4)
/** `SEED` repeats when nodes are killed. */
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const SHARDS = ROUNDS < 8 ? [0] : [0, 1]
const TIMEOUT_MS = 60_000 + ROUNDS * 45_000
/** What is promised. */
const FREE_WITHIN_MS = 15_000
/** Sound that a kill may take at 8 kHz: the segment that was not full, and the two seconds that the recorder waits. */
const LOST_SOUND_MS = 6_000
/** Between two frames of calls that go on. A busy machine makes longer ones, but then before the kill as well. */
const USUAL_GAP_MS = 100
/** Until the first sound of a call is there. */
const SETTLED_MS = 1_500
/** Long enough for a stored segment before the kill. */
const LONG_CALL_MS = 9_000
/** What the caller's end saw or sent this long before the kill is taken in: events are gathered for 50 ms, machines are busy. */
const ON_RECORD_MS = 600
/** What clocks of a process and a database may differ by. */
const CLOCKS_MS = 250

/** What the calls of a node are about when it is killed, one each. */
const MOMENTS = ['idle', 'opening', 'thinking', 'speaking', 'tool', 'leaving', 'ending', 'joining', 'claimed'] as const
type Moment = (typeof MOMENTS)[number]
const LATE: ReadonlySet<Moment> = new Set(['opening', 'joining', 'claimed'])

/** A call of the node that is killed. */
interface Victim {
  readonly moment: Moment
  readonly callId: string
  readonly accessToken: string
  /** Just before it was joined. */
  readonly begunMs: number
  readonly client: CallClient | null
  readonly humHz: number
}

interface Scene {
  readonly agentId: string
  readonly recordings: string
  readonly receiver: CallReceiver
  /** Under way when nodes were killed. */
  readonly jobsAtKills: Set<string>
  readonly random: () => number
}

/** Until the kill, of which the random part is somewhere in every moment. */
async function beginVictims(
  server: RunningServer,
  { agentId, random }: Pick<Scene, 'agentId' | 'random'>,
): Promise<readonly Victim[]> {
  const begin = async (moment: Moment, index: number): Promise<Victim> => {
    const call = await createCall(server, agentId)
    const about = { moment, callId: call.callId, accessToken: call.accessToken ?? '' }
    if (moment === 'joining' || moment === 'claimed') return { ...about, begunMs: 0, client: null, humHz: 0 }
    const begunMs = performance.now()
    const client = await joinCall(server.url, about.accessToken)
    return { ...about, begunMs, client, humHz: hum(client, index) }
  }
  const early = MOMENTS.filter((moment) => !LATE.has(moment))
  const victims = await Promise.all(early.map((moment, index) => begin(moment, index)))
  await sleep(LONG_CALL_MS)
  const lastWords: Partial<Record<Moment, string>> = {
    thinking: 'Think of a number',
    speaking: 'Count to twelve',
    tool: 'Look that up',
    // Of calls in which the caller said nothing no model finds out anything, and no job takes long.
    leaving: 'Take a note',
    ending: 'Take a note',
  }
  await Promise.all(
    victims.map(async ({ moment, client }) => {
      const words = lastWords[moment]
      if (words === undefined) return
      await sleep(random() * 500)
      client?.type(words)
    }),
  )
  const late = await Promise.all([...LATE].map((moment) => begin(moment, 15)))
  await sleep(random() * 2_500)
  return [...victims, ...late]
}

/** Lets some calls end, and one begin, at the moment of the kill. */
async function strike(server: RunningServer, victims: readonly Victim[], random: () => number): Promise<number> {
  for (const { moment, client, accessToken, callId } of victims) {
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
  const callIdOf = (wanted: Moment): string => victims.find(({ moment }) => moment === wanted)?.callId ?? ''
  await claimToken(server, callIdOf('claimed'), callIdOf('idle'))
  const killedAtMs = performance.now()
  await server.kill('SIGKILL')
  return killedAtMs
}

/** How the call of a dead node is told by one that lives. */
async function checkVictim(server: RunningServer, victim: Victim, killedAtMs: number): Promise<string> {
  const { moment, client, callId, accessToken } = victim
  const call = await readCall(server, callId)
  if (call.status === 'registered') {
    expect(['joining', 'claimed']).toContain(moment)
    await using again = await joinCall(server.url, accessToken)
    await again.heard('caption', ({ role }) => role === 'agent')
    await again.leave()
    return 'joined elsewhere'
  }
  if (call.status === 'ended') {
    expect(['leaving', 'ending', 'joining']).toContain(moment)
    expect(['user_hangup', 'manual_stopped']).toContain(call.disconnectionReason)
  } else {
    expect([moment, call.status, call.disconnectionReason]).toEqual([moment, 'error', 'error_node_lost'])
  }
  const entries = await readRecord(server, callId)
  checkRecord(entries)
  if (client === null) return call.status
  // Whoever was just let in may have nothing on record yet.
  const spokeMs = killedAtMs - (client.messages[0]?.atMs ?? killedAtMs)
  if (spokeMs > ON_RECORD_MS) expect(entries[0]?.type, moment).toBe('call-started')
  const told = client.messages.filter(({ atMs }) => atMs < killedAtMs - ON_RECORD_MS)
  for (const [role, type] of [
    ['user', 'user-message'],
    ['agent', 'agent-message'],
  ] as const) {
    const seen = told.flatMap(({ message }) =>
      message.type === 'caption' && message.role === role && message.final && message.text !== '' ? [message.text] : [],
    )
    expect(wordsIn(entries, type).slice(0, seen.length), `${moment} ${role}`).toEqual(seen)
    for (const words of wordsIn(entries, type)) expect(call.transcript).toContain(words)
  }
  expect(call.durationMs, moment).toBeLessThanOrEqual(killedAtMs - victim.begunMs + CLOCKS_MS)
  if (spokeMs > LONG_CALL_MS) await checkRecording(server, victim, call, spokeMs)
  return call.status
}

async function checkRecording(
  server: RunningServer,
  { moment, humHz }: Victim,
  call: Call,
  spokeMs: number,
): Promise<void> {
  const heard = await readRecording(server, call.callId)
  expect(heard.durationMs, `recording of ${moment}`).toBeGreaterThanOrEqual(spokeMs - LOST_SOUND_MS - ON_RECORD_MS)
  expect(heard.durationMs).toBeLessThanOrEqual(spokeMs + 2_500)
  expect(humRatio(heard.caller, humHz), `tone of ${moment}`).toBeGreaterThan(20)
  expect(humRatio(heard.agent, humHz), `no tone in the agent of ${moment}`).toBeLessThan(20)
  expect(Math.max(...heard.agent)).toBeGreaterThan(1_000)
}

interface Round {
  readonly freeMs: number
  readonly endedMs: number
  readonly told: Told
  /** Webhooks that came twice. */
  readonly repetitions: number
  /** Between frames of calls of the other node: before the kill, and from it until everything was over. */
  readonly gapsMs: readonly [before: number, after: number]
  readonly outcomes: readonly string[]
}

/** One kill, and everything that must hold after it. */
async function playRound(victimNode: RunningServer, survivor: RunningServer, scene: Scene): Promise<Round> {
  const bystanders = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const client = await beginCall(survivor, scene.agentId)
      hum(client, 10 + index)
      return client
    }),
  )
  for (const client of bystanders) client.type('Count to twelve')
  await sleep(SETTLED_MS)
  const watchedFromMs = performance.now()
  const victims = await beginVictims(victimNode, scene)
  const killedAtMs = await strike(victimNode, victims, scene.random)
  const elapsedMs = (): number => performance.now() - killedAtMs
  await leaveDraft(scene.recordings, victims[0]?.callId ?? '')
  await noteJobs(survivor, scene.jobsAtKills)

  await eventually('their slots to be free', FREE_WITHIN_MS, async () => {
    // Nobody may have come for the one that was being joined: its slot is kept for a minute.
    const calls = await Promise.all(victims.map(({ callId }) => readCall(survivor, callId)))
    const waiting = calls.filter(({ status }) => status === 'registered').length
    return (await countLive(survivor)) <= bystanders.length + waiting || null
  })
  const freeMs = elapsedMs()
  await eventually('their end', FREE_WITHIN_MS, async () => {
    const calls = await Promise.all(victims.map(({ callId }) => readCall(survivor, callId)))
    return calls.every(({ status }) => status !== 'ongoing') || null
  })
  const endedMs = elapsedMs()
  const gapMs = (fromMs: number, untilMs?: number): number =>
    Math.max(...bystanders.map((client) => client.longestGapMs(fromMs, untilMs)))
  const gapsMs = [gapMs(watchedFromMs, killedAtMs), gapMs(killedAtMs)] as const
  expect(Math.max(freeMs, endedMs)).toBeLessThan(FREE_WITHIN_MS)

  const told = await untilVictimsTold(survivor, idsOf(victims), killedAtMs)

  const outcomes: string[] = []
  for (const victim of victims) {
    outcomes.push(`${victim.moment}: ${await checkVictim(survivor, victim, killedAtMs)}`)
    await victim.client?.[Symbol.asyncDispose]()
  }
  const { receiver } = scene
  for (const client of bystanders) {
    expect(client.isOpen).toBe(true)
    client.type('Goodbye')
    await client.heard('caption', ({ text }) => text.startsWith('You said: Goodbye'))
    expect(receiver.eventsOf(client.callId)).toEqual(['call_started'])
    await client.leave()
  }
  for (const { callId } of bystanders) await checkBystander(survivor, callId)
  const callIds = idsOf([...victims, ...bystanders])
  const repetitions = await checkAllTold(survivor, receiver, { callIds, killedAtMs })
  await expectNothingLeft(survivor, scene.recordings)
  return { freeMs, endedMs, told, repetitions, gapsMs, outcomes }
}

async function checkBystander(server: RunningServer, callId: string): Promise<void> {
  const call = await eventually('its end', 5_000, async () => {
    const { status, ...rest } = await readCall(server, callId)
    return status === 'ongoing' ? null : { status, ...rest }
  })
  expect([call.status, call.disconnectionReason]).toEqual(['ended', 'user_hangup'])
  const entries = await readRecord(server, callId)
  checkRecord(entries)
  expect(wordsIn(entries, 'user-message')).toEqual(['Count to twelve', 'Goodbye'])
}

async function makeScene() {
  const model = await startModelServer({ keepRequests: false })
  model.defaultReply = (request) => reportOnCall(request) ?? replyInCall(request)
  const [tools, receiver] = await Promise.all([startToolServer(), startCallReceiver()])
  // Each look-up hangs until its tool gives up.
  tools.script(...Array.from({ length: 10 * ROUNDS }, () => ({ kind: 'hang' }) as const))
  const recordings = await mkdtemp(join(tmpdir(), 'parley-recordings-'))
  return {
    recordings,
    receiver,
    jobsAtKills: new Set<string>(),
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

function middleOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

function randomOf(shard: number): () => number {
  const numbers = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { seed: seed + shard, numRuns: 1_000 })
  let next = 0
  return () => numbers[next++ % numbers.length] ?? 0
}

describe.skipIf(!hasPostgres)('a node with live calls that is killed', () => {
  test.concurrent.for(SHARDS)(
    `leaves calls that are over, slots that are free and recordings that play (SEED=${seed}, shard %i)`,
    { timeout: TIMEOUT_MS },
    async (shard) => {
      await using world = await makeScene()
      await using cluster = await startCluster({ env: world.env })
      const { nodes } = cluster
      const agentId = await createSpeaker(nodes[0], world.toolUrl)
      const { recordings, receiver, jobsAtKills } = world
      await receiver.hearOf(nodes[0])
      const scene = { agentId, recordings, receiver, jobsAtKills, random: randomOf(shard) }
      const rounds: Round[] = []
      for (let round = 0; round < Math.ceil(ROUNDS / SHARDS.length); round += 1) {
        const [victim, survivor] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]]
        const played = await playRound(victim, survivor, scene)
        rounds.push(played)
        const { freeMs, endedMs, told, gapsMs, repetitions, outcomes } = played
        const figures = [freeMs, endedMs, told.endedMs, told.analysedMs, ...gapsMs].map(Math.round).join(', ')
        console.log(
          `round ${shard}.${round}: free, ended, told of the end, of the analysis, gaps before and after in ms: ${figures}; ` +
            `${repetitions} webhooks twice; ${outcomes.join(', ')}`,
        )
        await victim.start()
      }
      const worst = Math.max(...rounds.map(({ freeMs, endedMs }) => Math.max(freeMs, endedMs)))
      const [endToldMs, toldMs] = [
        Math.max(...rounds.map(({ told }) => told.endedMs)),
        Math.max(...rounds.map(({ told }) => told.analysedMs)),
      ]
      const retried = await countRetriedJobs(nodes[0], jobsAtKills)
      console.log(
        `SEED=${seed} shard ${shard}: ${rounds.length} kills, all over within ${Math.round(worst)} ms, ends told within ` +
          `${Math.round(endToldMs)} ms and analyses within ${Math.round(toldMs)} ms; ${retried} jobs were begun twice`,
      )
      const [before, after] = [0, 1].map((part) => middleOf(rounds.map(({ gapsMs }) => gapsMs[part] ?? 0)))
      expect(after).toBeLessThan(Math.max(USUAL_GAP_MS, 2 * (before ?? 0)))
      for (const node of nodes) expect(await node.stop()).toEqual({ code: 0, signal: null })
    },
  )
})

test(`a single node that is killed ends its calls when it starts again (SEED=${seed})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  await using world = await makeScene()
  await using server = await runServer({ embedded: true, env: world.env })
  const agentId = await createSpeaker(server, world.toolUrl)
  const { receiver } = world
  await receiver.hearOf(server)
  const random = randomOf(7)
  for (let round = 0; round < Math.ceil(ROUNDS / 4); round += 1) {
    const victims = await beginVictims(server, { agentId, random })
    const killedAtMs = await strike(server, victims, random)
    await leaveDraft(world.recordings, victims[0]?.callId ?? '')
    await noteJobs(server, world.jobsAtKills)
    await server.start()
    const startedMs = performance.now()
    await eventually('the end of its calls', 3_000, async () => {
      const calls = await Promise.all(victims.map(({ callId }) => readCall(server, callId)))
      return calls.every(({ status }) => status !== 'ongoing') || null
    })
    const endedMs = performance.now() - startedMs
    const told = await untilVictimsTold(server, idsOf(victims), killedAtMs)
    const figures = [endedMs, told.endedMs, told.analysedMs].map(Math.round).join(', ')
    console.log(`calls ended after the start, told of the end and of the analysis after the kill in ms: ${figures}`)
    for (const victim of victims) {
      await checkVictim(server, victim, killedAtMs)
      await victim.client?.[Symbol.asyncDispose]()
    }
    await checkAllTold(server, receiver, { callIds: idsOf(victims), killedAtMs })
    await expectNothingLeft(server, world.recordings)
  }
  console.log(`${await countRetriedJobs(server, world.jobsAtKills)} jobs were begun twice`)
  await expect(joinCall(server.url, 'join.call_1.1.x')).rejects.toThrow(CallRefused)
  expect(await server.stop()).toEqual({ code: 0, signal: null })
})
