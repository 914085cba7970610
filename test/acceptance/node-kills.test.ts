import type { Chat } from '@parley/contract/chat'
import type { Llm } from '@parley/contract/llm'
import { describe, expect, test } from 'vitest'
import type { StreamedEvent, StreamedResponse } from '../../testing/api-client.ts'
import { startModelServer } from '../../testing/model-server/model-server.ts'
import { listSteps } from '../../testing/model-server/rendering.ts'
import type { ModelReply, ModelServerRequest, Step } from '../../testing/model-server/reply.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { createAgent, createChat, createLlm, expectBody, read, readChat, send } from '../../testing/server-test.ts'
import { type Cluster, hasPostgres, startCluster } from '../full/cluster.ts'

/** Twenty rounds, run in parallel, because most of a round is waiting for the failure detection. */
const SHARDS = [1, 2, 3, 4]
const ROUNDS = 5
const TURNS_PER_NODE = 3
const WORDS = Array.from({ length: 60 }, (_, index) => `word${index}`)
const ANSWER = WORDS.join(' ')
const WORD_MS = 25
/** From the kill to the last word: detection takes up to 11 s, and repeating the reply about a second. */
const RESUME_TIMEOUT_MS = 20_000
const MIN_DELTAS_BEFORE_KILL = 8
/** Number of steps (words and pauses) of a reply that are withheld until the kill. */
const HELD_BACK_STEPS = 20

/** Whether replies pause before their end, because on a busy machine some start when others would be finished. */
interface Pace {
  isPaused: boolean
}

function* pausableSteps(steps: readonly Step[], pace: Pace): Iterable<Step> {
  for (const [index, step] of steps.entries()) {
    while (pace.isPaused && index >= steps.length - HELD_BACK_STEPS) yield { kind: 'wait', delayMs: WORD_MS }
    yield step
  }
}

function createReply(pace: Pace, { wire, body }: ModelServerRequest): ModelReply {
  const steps = [...listSteps(wire, { text: ANSWER, delayPerWordMs: WORD_MS }, body)]
  return { steps: pausableSteps(steps, pace) }
}

/** Events of a turn that a client receives, over any number of connections. */
class Listener {
  readonly chatId: string
  readonly events: StreamedEvent[] = []
  readonly #nodes: readonly RunningServer[]
  readonly #onDelta: () => void
  #preferred: number

  constructor(chatId: string, nodes: readonly RunningServer[], options: { preferred: number; onDelta: () => void }) {
    this.chatId = chatId
    this.#nodes = nodes
    this.#preferred = options.preferred
    this.#onDelta = options.onDelta
  }

  get deltas(): number {
    return this.events.filter(({ event }) => event === 'message.delta').length
  }

  /** Sends the message and follows the turn to its end. Switches to the other node if this one fails. */
  async listen(content: string): Promise<void> {
    await this.#readStream(() =>
      this.#node.stream('POST', `/api/chats/${this.chatId}/completions`, {
        body: { workspaceId: 1, content },
        headers: { 'idempotency-key': `key of ${this.chatId}` },
      }),
    )
    const endsAt = Date.now() + RESUME_TIMEOUT_MS
    while (this.events.at(-1)?.event !== 'done') {
      if (Date.now() > endsAt) throw new Error(`${this.chatId} was not finished in time: ${this.events.length} events`)
      this.#preferred = 1 - this.#preferred
      const turnId = this.events[0]?.data.turn_id
      const last = String(this.events.at(-1)?.id ?? 0)
      await this.#readStream(() =>
        this.#node.stream('GET', `/api/chats/${this.chatId}/turns/${turnId}/events`, {
          query: { workspaceId: 1 },
          headers: { 'last-event-id': last },
        }),
      )
    }
  }

  get #node(): RunningServer {
    return this.#nodes[this.#preferred] as RunningServer
  }

  /** Reads events until the stream ends or breaks. */
  async #readStream(open: () => Promise<StreamedResponse>): Promise<void> {
    try {
      for await (const event of (await open()).events) {
        this.events.push(event)
        if (event.event === 'message.delta') this.#onDelta()
      }
    } catch {
      // The node is gone. If the other node refuses, the turn does not finish in time.
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

interface Stage {
  readonly cluster: Cluster
  readonly pace: Pace
  /** Agents by their configuration. */
  readonly prompts: Map<string, string>
}

async function runRound({ cluster, pace, prompts }: Stage, round: number): Promise<void> {
  const { nodes } = cluster
  pace.isPaused = true
  const target = nodes[round % 2] as RunningServer
  const agent = await createAgent(nodes[0], {}, { model: 'gpt-4.1' })
  const chats = await Promise.all(
    Array.from({ length: 2 * TURNS_PER_NODE }, (_, index) => createChat(nodes[index % 2] as RunningServer, agent)),
  )
  const { llm_id } = await createLlm(nodes[1], { general_prompt: `round ${round}` })
  prompts.set(llm_id, `round ${round}`)

  const readyToKill = Promise.withResolvers<void>()
  const onDelta = (): void => {
    if (listeners.every(({ deltas }) => deltas >= MIN_DELTAS_BEFORE_KILL)) readyToKill.resolve()
  }
  const listeners = chats.map(({ chatId }, index) => new Listener(chatId, nodes, { preferred: index % 2, onDelta }))
  const listening = Promise.all(listeners.map((listener) => listener.listen(`Count in round ${round}`)))
  await Promise.race([readyToKill.promise, listening])
  expect(listeners.every(({ events }) => events.at(-1)?.event !== 'done')).toBe(true)
  const killedAt = Date.now()
  pace.isPaused = false
  await target.kill('SIGKILL')
  await listening
  expect(Date.now() - killedAt).toBeLessThan(RESUME_TIMEOUT_MS)
  await target.start()
  for (const listener of listeners) await checkListener(listener, nodes[0])
}

/** Returns the displayed text, which starts over if the message restarts. */
function renderText(events: readonly StreamedEvent[]): string {
  let text = ''
  for (const { event, data } of events) {
    if (event === 'message.restarted') text = ''
    if (event === 'message.delta') text += String(data.text)
  }
  return text
}

/** Checks that no event or word is missing or repeated, and that the displayed text is stored. */
async function checkListener({ chatId, events }: Listener, server: RunningServer): Promise<void> {
  const ids = events.map(({ id }) => Number(id))
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  expect(events.filter(({ event }) => event === 'message.restarted').length).toBeLessThanOrEqual(1)
  expect(renderText(events)).toBe(ANSWER)
  expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } })
  const chat: Chat = await readChat(server, chatId)
  expect(
    chat.messages
      .filter(({ role }) => role !== 'system')
      .map(({ content }) => content)
      .slice(-2),
  ).toEqual([expect.stringContaining('Count in round'), ANSWER])
}

describe.skipIf(!hasPostgres)('a node that is killed', () => {
  test.concurrent.for(SHARDS)(
    'loses nothing that was acknowledged, and its turns go on at the other word for word (%i)',
    { timeout: 280_000 },
    async (shard) => {
      await using model = await startModelServer({ keepRequests: false })
      const pace = { isPaused: false }
      model.defaultReply = (request) => createReply(pace, request)
      await using cluster = await startCluster({ env: { OPENAI_BASE_URL: `${model.url}/v1` } })
      const prompts = new Map<string, string>()
      const stage = { cluster, pace, prompts }
      for (let round = shard; round < shard + ROUNDS; round += 1) await runRound(stage, round)
      for (const [llmId, prompt] of prompts) {
        const llm = await expectBody(200, read<Llm>(cluster.nodes[0], `/api/v1/llms/${llmId}`))
        expect(llm.general_prompt).toBe(prompt)
      }
      expect((await send(cluster.nodes[1], 'POST', '/api/v1/llms')).status).toBe(201)
    },
  )
})
