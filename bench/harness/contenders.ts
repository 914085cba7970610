import type { Agent } from 'undici'
import { startLocalServer } from './local-server.ts'
import { createAgents, startParley } from './parley-server.ts'
import { runStreamedTurn, type TurnTarget, type TurnTimes } from './streamed-turn.ts'

/** Something that answers streamed turns. */
export interface Contender {
  readonly name: 'bare fetch' | 'limit server' | 'Parley'
  /** The process whose CPU time counts; absent for the stub itself. */
  readonly pid?: number
  /** Runs one turn in a conversation; conversations are numbered. */
  turn(conversation: number): Promise<TurnTimes>
}

export interface Contenders extends AsyncDisposable {
  readonly all: readonly [bare: Contender, limit: Contender, parley: Contender]
}

export interface ContendersOptions {
  /** Time that the stub model takes for each of its 100 words. */
  readonly paceMs: number
  /** How many conversations can be held. */
  readonly conversations: number
  readonly profileFolder?: string | undefined
}

const CONTENT = 'Could you tell me when the practice is open on Thursday?'
const JSON_TYPE = { 'content-type': 'application/json' }
const MODEL_STREAM = { firstToken: '"delta":{"content"', lastToken: 'data: [DONE]' }

/** Starts a stub model of 100 words and what is compared on it: the stub itself, the limit server and Parley. */
export async function startContenders(agent: Agent, options: ContendersOptions): Promise<Contenders> {
  await using started = new AsyncDisposableStack()
  const modelArguments = ['--words', '100', '--pace-ms', String(options.paceMs)]
  const model = started.use(
    await startLocalServer('testing/model-server/main.ts', { programArguments: modelArguments }),
  )
  const limit = started.use(await startLocalServer('bench/harness/limit-server.ts', { programArguments: [model.url] }))
  const parley = started.use(await startParley({ modelUrl: model.url, profileFolder: options.profileFolder }))
  const [benchAgent] = await createAgents(parley, 1)
  const chatIds: string[] = []
  for (let index = 0; index < options.conversations; index += 1) {
    const { chatId } = (await parley.call('POST', '/api/chats', { ...benchAgent })) as { chatId: string }
    chatIds.push(chatId)
  }
  const modelBody = {
    model: 'gpt-4o-mini',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: CONTENT }],
  }
  const bareTarget: TurnTarget = {
    origin: model.url,
    path: '/v1/chat/completions',
    headers: JSON_TYPE,
    body: JSON.stringify(modelBody),
    ...MODEL_STREAM,
  }
  const body = JSON.stringify({ workspaceId: benchAgent?.workspaceId, content: CONTENT, stream: true })
  const held = started.move()
  return {
    all: [
      { name: 'bare fetch', turn: () => runStreamedTurn(agent, bareTarget) },
      {
        name: 'limit server',
        pid: limit.pid,
        turn: (conversation) =>
          runStreamedTurn(agent, {
            origin: limit.url,
            path: `/chats/chat_${conversation}`,
            headers: JSON_TYPE,
            body,
            ...MODEL_STREAM,
          }),
      },
      {
        name: 'Parley',
        pid: parley.pid,
        turn: (conversation) =>
          runStreamedTurn(agent, {
            origin: parley.url,
            path: `/api/chats/${chatIds[conversation]}/completions`,
            headers: { ...JSON_TYPE, authorization: parley.authorization },
            body,
            firstToken: 'event: message.delta',
            lastToken: '"status":"completed"',
          }),
      },
    ],
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
