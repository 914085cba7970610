import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { CallClient } from '../../testing/call-client.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { read, send } from '../../testing/server-test.ts'
import {
  checkTranscript,
  countLive,
  createSpeakingAgent,
  expectNoCallLeftovers,
  messagesIn,
  readCall,
  readRecording,
  readTranscript,
  setBackgroundTone,
  startCall,
  toneRatio,
} from '../full/call-scene.ts'
import { eventually, hasPostgres, startCluster } from '../full/cluster.ts'

const OUTAGE_MS = 30_000
const TURN_INTERVAL_MS = 5_000
/** Timeout of a turn of the built-in model on a busy machine. */
const ANSWER_MS = 4_000
const RECOVERY_TIMEOUT_MS = 15_000
/** An audible pause, longer than the audio that is sent ahead. */
const AUDIBLE_GAP_MS = 300
/** Duration of the reference measurement of gaps. Longer measurements see more long gaps on a busy machine. */
const MEASURE_MS = 10_000
const BUSY_FACTOR = 3

/** Speaks and listens to the agent's reply. */
async function talk(client: CallClient, words: string): Promise<void> {
  const from = client.messages.length
  client.type(words)
  await client.waitForMessage('caption', ({ role, text }) => role === 'user' && text === words, {
    from,
    timeoutMs: ANSWER_MS,
  })
  await client.waitForMessage('caption', ({ role, text }) => role === 'agent' && text !== '', {
    from,
    timeoutMs: ANSWER_MS,
  })
}

async function expectRefusal(server: RunningServer, agentId: string): Promise<void> {
  const answers = await Promise.all([
    send(server, 'POST', '/api/v1/calls/web', { agentId }),
    read(server, '/api/v1/calls'),
  ])
  for (const { status, body, headers } of answers) {
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
}

async function isReady(server: RunningServer): Promise<boolean> {
  return (await server.call('GET', '/readyz')).status === 200
}

describe.skipIf(!hasPostgres)('the database', () => {
  test('down for 30 s: live calls continue, and none of their data is lost', async () => {
    const recordings = await mkdtemp(join(tmpdir(), 'parley-recordings-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(recordings, { recursive: true, force: true }))
    const { nodes, postgres } = stack.use(await startCluster({ env: { RECORDINGS_DIR: recordings } }))
    const agentId = await createSpeakingAgent(nodes[0], null)
    const clients: CallClient[] = []
    const tonesHz = new Map<CallClient, number>()
    for (const [index, node] of [nodes[0], nodes[1], nodes[0], nodes[1], nodes[0]].entries()) {
      const client = stack.use(await startCall(node, agentId))
      tonesHz.set(client, setBackgroundTone(client, index))
      clients.push(client)
    }
    const [leaving, ...staying] = clients as [CallClient, ...CallClient[]]
    const sentMessages = new Map(clients.map((client): [CallClient, string[]] => [client, []]))
    const talkAll = async (participants: readonly CallClient[], words: string): Promise<void> => {
      for (const client of participants) sentMessages.get(client)?.push(words)
      await Promise.all(participants.map((client) => talk(client, words)))
    }
    await talkAll(clients, 'Before it')
    const measuredFromMs = performance.now()
    await sleep(MEASURE_MS)
    const typicalGapMs = Math.max(...staying.map((client) => client.measureLongestGapMs(measuredFromMs)))

    await postgres.kill('SIGKILL')
    const outageStartMs = performance.now()
    for (const node of nodes) {
      await eventually('not ready', 10_000, async () => ((await isReady(node)) ? null : true))
      await expectRefusal(node, agentId)
    }
    await talkAll([leaving], 'I am leaving')
    const leftAt = Date.now()
    await leaving.leave()
    for (let turn = 1; performance.now() - outageStartMs < OUTAGE_MS - TURN_INTERVAL_MS; turn += 1) {
      await talkAll(staying, `Without it, part ${turn}`)
      await sleep(TURN_INTERVAL_MS)
    }
    await sleep(Math.max(0, OUTAGE_MS - (performance.now() - outageStartMs)))
    await expectRefusal(nodes[0], agentId)
    await postgres.start()
    const recoveredAtMs = performance.now()
    await talkAll(staying, 'It is back')
    await eventually('well again', RECOVERY_TIMEOUT_MS, async () => {
      const ready = await Promise.all(nodes.map(isReady))
      return ready.every(Boolean) || null
    })
    console.log(`well ${Math.round(performance.now() - recoveredAtMs)} ms after the database was back`)
    const gapMs = Math.max(...staying.map((client) => client.measureLongestGapMs(outageStartMs)))
    console.log(`longest gap in the sound: ${Math.round(gapMs)} ms, ${Math.round(typicalGapMs)} ms before it`)
    expect(gapMs).toBeLessThan(Math.max(AUDIBLE_GAP_MS, BUSY_FACTOR * typicalGapMs))
    let slots = 0
    await eventually('the slots of the calls', RECOVERY_TIMEOUT_MS, async () => {
      slots = await countLive(nodes[1])
      return slots === 4 || null
    }).catch((error) => {
      throw new Error(`${slots} slots are held`, { cause: error })
    })

    const left = await eventually('the end of the call that was left', RECOVERY_TIMEOUT_MS, async () => {
      const call = await readCall(nodes[1], leaving.callId)
      return call.status === 'ongoing' ? null : call
    })
    expect([left.status, left.disconnectionReason]).toEqual(['ended', 'user_hangup'])
    expect(Math.abs(Date.parse(left.endedAt ?? '') - leftAt)).toBeLessThan(1_000)
    // Longer than the timeout after which a node counts as dead.
    await sleep(12_000)
    await talkAll(staying, 'Long after')
    expect(await countLive(nodes[0])).toBe(4)
    for (const client of staying) {
      expect((await readCall(nodes[0], client.callId)).status).toBe('ongoing')
      await client.leave()
    }
    for (const client of clients) {
      await checkCompleteCall(nodes[1], client, {
        words: sentMessages.get(client) ?? [],
        toneHz: tonesHz.get(client) ?? 0,
      })
    }
    await expectNoCallLeftovers(nodes[0], recordings)
    for (const node of nodes) expect(node.output).not.toContain('a node died')
  })
})

/** Checks that the call ended normally, with all words and audio. */
async function checkCompleteCall(
  server: RunningServer,
  client: CallClient,
  { words, toneHz }: { readonly words: readonly string[]; readonly toneHz: number },
): Promise<void> {
  const call = await eventually('the end of a call', RECOVERY_TIMEOUT_MS, async () => {
    const found = await readCall(server, client.callId)
    return found.status === 'ongoing' ? null : found
  })
  expect([call.status, call.disconnectionReason]).toEqual(['ended', 'user_hangup'])
  const entries = await readTranscript(server, client.callId)
  checkTranscript(entries)
  expect(entries[0]?.type).toBe('call-started')
  expect(messagesIn(entries, 'user-message')).toEqual(words)
  expect(entries.filter((event) => event.type === 'warning' && event.code === 'events_lost')).toEqual([])
  const heard = await readRecording(server, client.callId)
  expect(Math.abs(heard.durationMs - (call.durationMs ?? 0))).toBeLessThan(1_500)
  expect(toneRatio(heard.caller, toneHz)).toBeGreaterThan(20)
}
