import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startModelServer } from '../../testing/model-server/model-server.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { withDatabase } from '../../testing/server-database.ts'
import { read, send } from '../../testing/server-test.ts'
import { startToolServer } from '../../testing/tool-server/tool-server.ts'
import { checkTransitions, circularFlowReply, createCircularFlow, startChat } from './flow-scene.ts'

const CHATS = 12
const CLIENTS_PER_CHAT = 3
const STEPS = 25

/** Returns a generator of pseudorandom numbers, identical in every run. */
function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** Queries for inconsistencies between a chat and its turns. */
const RULES: Readonly<Record<string, string>> = {
  'positions of messages': `select chat_id from messages group by chat_id
    having min(position) <> 0 or max(position) <> count(*) - 1`,
  'positions of turns': `select chat_id from turns group by chat_id
    having min(position) <> 0 or max(position) <> count(*) - 1`,
  'counts of chats': `select chat_id from chats
    where message_count <> (select count(*) from messages where messages.chat_id = chats.chat_id)
      or turn_count <> (select count(*) from turns where turns.chat_id = chats.chat_id)`,
  'no turn runs': `select turn_id from turns where status = 'running'`,
  'no chat waits for one': 'select chat_id from chats where active_turn_id is not null',
  'no message of a turn that is gone': `select message_id from messages
    where turn_id is not null and turn_id not in (select turn_id from turns)`,
}

type Random = () => number

/** Sends, cancels and rewinds at random, as one of several clients of a chat. */
async function workAtRandom(server: RunningServer, chatId: string, random: Random): Promise<void> {
  const path = `/api/chats/${chatId}`
  const statuses: number[] = []
  for (let step = 0; step < STEPS; step += 1) {
    const draw = random()
    if (draw < 0.5) {
      statuses.push((await send(server, 'POST', `${path}/completions`, { content: `Step ${step}` })).status)
      continue
    }
    const { body: turns } = await read<{ turnId: string; status: string }[]>(server, `${path}/turns`)
    const running = turns.find(({ status }) => status === 'running')
    const any = turns[Math.floor(random() * turns.length)]
    if (draw < 0.75 && running !== undefined) {
      statuses.push((await send(server, 'POST', `${path}/turns/${running.turnId}/cancel`)).status)
    }
    if (draw >= 0.75 && any !== undefined) {
      statuses.push((await send(server, 'POST', `${path}/rewind`, { turnId: any.turnId })).status)
    }
  }
  // Requests for rewound or ended turns fail; all others succeed.
  expect(statuses.filter((status) => ![200, 201, 404, 422].includes(status))).toEqual([])
}

test('concurrent sends, cancels and rewinds keep flows consistent', async () => {
  await using model = await startModelServer({ keepRequests: false })
  await using tools = await startToolServer()
  model.defaultReply = circularFlowReply
  const env = { OPENAI_BASE_URL: `${model.url}/v1`, ALLOW_PRIVATE_TARGETS: '127.0.0.1' }
  await using server = await runServer({ env })
  const agentId = await createCircularFlow(server, tools.url)
  const expectedChats = await Promise.all(Array.from({ length: CHATS }, () => startChat(server, agentId)))
  const random = createSeededRandom(Number(process.env.SEED ?? 1))
  const clients = expectedChats.flatMap(({ chatId }) =>
    Array.from({ length: CLIENTS_PER_CHAT }, () => workAtRandom(server, chatId, random)),
  )
  await Promise.all(clients)
  await withDatabase(server, async ({ read: reader }) => {
    for (const [rule, query] of Object.entries(RULES)) {
      expect((await sql.raw(query).execute(reader)).rows, rule).toEqual([])
    }
  })
  for (const { chatId } of expectedChats) await checkTransitions(server, chatId)
  const keys = tools.requests.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(keys.length)
})
