import type { ChatMessage } from '@parley/contract/chat-message'
import { test as plainTest } from 'vitest'
import type { StreamedEvent } from '../../testing/api-client.ts'
import { type ModelServer, type RecordedRequest, startModelServer } from '../../testing/model-server/model-server.ts'
import { isAnalysisRequest, type ModelReply, type Wire } from '../../testing/model-server/reply.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { completeStreamed, createAgent, createChat, readChat, send } from '../../testing/server-test.ts'
import { startToolServer } from '../../testing/tool-server/tool-server.ts'

export type Mode = 'plain' | 'streamed'

/** Result of a turn, streamed or not. */
export interface ObservedTurn {
  /** Messages in the response or stream. */
  readonly messages: readonly ChatMessage[]
  /** All text deltas, or null without streaming. */
  readonly streamedText: string | null
  /** HTTP status; 200 for streams. */
  readonly status: number
  readonly errorCode: string | null
  /** The status in `done`; derived for plain answers. */
  readonly turnStatus: string
}

/** A model with a unique name, so that concurrent tests do not mix. */
export interface ScriptedModel {
  /** Value for `model` of an LLM configuration. */
  readonly name: string
  /** Appends replies to turns; without any left the model says "Done." */
  script(...replies: readonly ModelReply[]): void
  /** Requests of turns. Analyses of ended conversations arrive at any time and are not included. */
  readonly requests: readonly RecordedRequest[]
  /** Waits for the model's request number `index`. */
  request(index: number): Promise<RecordedRequest>
}

/** Creates models of a model server by name. */
export interface ModelEnvironment extends AsyncDisposable {
  readonly server: ModelServer
  model(wire: Wire): ScriptedModel
}

/** Starts a model server that chooses replies by the model's name. */
async function startModelEnvironment(): Promise<ModelEnvironment> {
  const server = await startModelServer()
  const models = new Map<string, ReturnType<typeof createModel>>()
  server.defaultReply = ({ body }) => {
    if (isAnalysisRequest({ body })) return { text: 'Nothing to tell.' }
    const name = String(body.model)
    const request = server.requests.findLast((candidate) => candidate.body === body)
    return models.get(name)?.take(request) ?? { text: 'Done.' }
  }
  return {
    server,
    model(wire) {
      const bare = `model-${models.size}`
      const model = createModel(`${wire}/${bare}`)
      models.set(bare, model)
      return model
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

function createModel(name: string) {
  const queue: ModelReply[] = []
  const requests: RecordedRequest[] = []
  const waiting: { index: number; resolve: (request: RecordedRequest) => void }[] = []
  return {
    name,
    requests,
    script: (...replies: readonly ModelReply[]) => {
      queue.push(...replies)
    },
    request: (index: number): Promise<RecordedRequest> => {
      const known = requests[index]
      return known === undefined ? new Promise((resolve) => waiting.push({ index, resolve })) : Promise.resolve(known)
    },
    take(request: RecordedRequest | undefined): ModelReply | undefined {
      if (request !== undefined) {
        requests.push(request)
        for (const { index, resolve } of waiting) if (index === requests.length - 1) resolve(request)
      }
      return queue.shift()
    },
  }
}

/** Gives up on silent models soon. Use it only for silent models, because others can be slow on a busy machine. */
const SHORT_TIMEOUTS = { FIRST_TOKEN_TIMEOUT_MS: '1000', IDLE_TOKEN_TIMEOUT_MS: '3000' }

/** Starts a server with a model server and a tool server for the tests of a file, and one with short timeouts. */
export const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('stage', { scope: 'file' }, async ({}, { onCleanup }) => {
    const stage = await startModelEnvironment()
    onCleanup(() => stage[Symbol.asyncDispose]())
    return stage
  })
  .extend('server', { scope: 'file' }, async ({ stage }, { onCleanup }) => {
    const server = await runServer({ env: modelSettings(stage) })
    onCleanup(() => server[Symbol.asyncDispose]())
    return server
  })
  .extend('shortTimeoutServer', { scope: 'file' }, async ({ stage }, { onCleanup }) => {
    const server = await runServer({ env: { ...modelSettings(stage), ...SHORT_TIMEOUTS } })
    onCleanup(() => server[Symbol.asyncDispose]())
    return server
  })
  // biome-ignore lint/correctness/noEmptyPattern: see above
  .extend('tools', { scope: 'test' }, async ({}, { onCleanup }) => {
    const tools = await startToolServer()
    onCleanup(() => tools.close())
    return tools
  })

/** The same for all files of a worker. The scope must be a literal for the types of the fixtures. */
export const sharedTest = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('stage', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const stage = await startModelEnvironment()
    onCleanup(() => stage[Symbol.asyncDispose]())
    return stage
  })
  .extend('server', { scope: 'worker' }, async ({ stage }, { onCleanup }) => {
    const server = await runServer({ env: modelSettings(stage) })
    onCleanup(() => server[Symbol.asyncDispose]())
    return server
  })
  .extend('shortTimeoutServer', { scope: 'worker' }, async ({ stage }, { onCleanup }) => {
    const server = await runServer({ env: { ...modelSettings(stage), ...SHORT_TIMEOUTS } })
    onCleanup(() => server[Symbol.asyncDispose]())
    return server
  })
  // biome-ignore lint/correctness/noEmptyPattern: see above
  .extend('tools', { scope: 'test' }, async ({}, { onCleanup }) => {
    const tools = await startToolServer()
    onCleanup(() => tools.close())
    return tools
  })

/** Settings that direct both model APIs to the model server and let tools reach loopback. */
export function modelSettings(stage: ModelEnvironment): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${stage.server.url}/v1`,
    OPENAI_API_KEY: 'sk-never-to-be-seen',
    ANTHROPIC_BASE_URL: stage.server.url,
    ANTHROPIC_API_KEY: 'sk-never-to-be-seen',
    ALLOW_PRIVATE_TARGETS: '127.0.0.1',
  }
}

/** Creates a chat with a new agent that uses the model. */
export async function chatOn(
  server: RunningServer,
  model: ScriptedModel,
  { agent = {}, llm = {}, chat = {} }: { agent?: object; llm?: object; chat?: object } = {},
): Promise<string> {
  const created = await createAgent(server, agent, { model: model.name, general_prompt: 'Be brief.', ...llm })
  return (await createChat(server, created, chat)).chatId
}

/** Sends a message in either mode and returns the result in one form. */
export async function runTurn(
  server: RunningServer,
  chatId: string,
  { mode, content = 'Hello', headers = {} }: { mode: Mode; content?: string; headers?: Record<string, string> },
): Promise<ObservedTurn> {
  if (mode === 'streamed') return summarizeStream(await completeStreamed(server, chatId, content, headers))
  const path = `/api/chats/${chatId}/completions`
  const { status, body } = await send<{ messages?: ChatMessage[]; code?: string }>(
    server,
    'POST',
    path,
    { content },
    { headers },
  )
  return {
    messages: body.messages ?? [],
    streamedText: null,
    status,
    errorCode: body.code ?? null,
    turnStatus: status === 201 ? 'completed' : 'failed',
  }
}

/** Summarizes a streamed turn. */
export function summarizeStream(events: readonly StreamedEvent[]): ObservedTurn {
  const of = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data)
  return {
    messages: of('message.completed').map(({ message }) => message as ChatMessage),
    streamedText: of('message.delta')
      .map(({ text }) => text)
      .join(''),
    status: 200,
    errorCode: (of('error')[0]?.code as string | undefined) ?? null,
    turnStatus: String(of('done')[0]?.status),
  }
}

/** Summarizes a chat as role and text, with an asterisk for incomplete text. */
export async function readMessageLines(server: RunningServer, chatId: string): Promise<string[]> {
  const { messages } = await readChat(server, chatId)
  return messages.map(({ role, content, incomplete }) => `${role}: ${content}${incomplete ? '*' : ''}`)
}
