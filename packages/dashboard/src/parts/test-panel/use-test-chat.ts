import { type Dispatch, useEffect, useReducer, useRef } from 'react'
import { readEvents, type StreamEvent } from '../../lib/api/events.ts'
import { isTransient, Problem } from '../../lib/api/problem.ts'
import { request } from '../../lib/api/request.ts'
import { createRandomId, now, setTimer } from '../../lib/clock.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { getRunningTurn, NO_CHAT, reduceChat, type TestChatAction, type TestChatState } from './chat-state.ts'
import type { PrepareConversation } from './conversation.ts'

export interface TestChat extends TestChatState {
  start(): Promise<void>
  send(content: string): void
  sendAgain(): void
  stop(): Promise<void>
  end(): Promise<void>
}

/** Runs a chat with the latest version of an agent. */
export function useTestChat(prepare: PrepareConversation): TestChat {
  const workspaceId = useWorkspaceId()
  const [state, dispatch] = useReducer(reduceChat, NO_CHAT)
  const streamController = useRef<AbortController | null>(null)
  useEffect(() => () => streamController.current?.abort(), [])
  const { chatId } = state

  async function startChat(): Promise<void> {
    streamController.current?.abort()
    dispatch({ type: 'starting' })
    try {
      if (state.phase === 'open' && chatId !== null) await endChatIgnoringErrors(workspaceId, chatId)
      const params = await prepare()
      if (params === null) return dispatch({ type: 'not-started', problem: null })
      const { value: chat } = await request('createChat', { body: { workspaceId, ...params } })
      dispatch({ type: 'started', chat })
    } catch (error) {
      dispatch({ type: 'not-started', problem: toError(error) })
    }
  }

  function streamReply(key: string, content: string): void {
    if (chatId === null) return
    const controller = new AbortController()
    streamController.current = controller
    void streamMessageReply({ workspaceId, chatId, key, content, signal: controller.signal }, dispatch)
  }

  return {
    ...state,
    start: startChat,
    send(content) {
      const key = createRandomId()
      dispatch({ type: 'sent', key, content, atMs: now() })
      streamReply(key, content)
    },
    sendAgain() {
      const lastTurn = state.turns.at(-1)
      if (lastTurn === undefined) return
      dispatch({ type: 'sent-again', atMs: now() })
      streamReply(lastTurn.key, lastTurn.content)
    },
    async stop() {
      const turnId = getRunningTurn(state)?.turnId ?? null
      if (chatId === null || turnId === null) return
      const problem = await cancelTurn({ workspaceId, chatId, turnId })
      if (problem !== null) dispatch({ type: 'failed', problem })
    },
    async end() {
      if (chatId === null) return
      try {
        await request('endChat', { path: { chatId }, body: { workspaceId } })
        dispatch({ type: 'ended' })
      } catch (error) {
        dispatch({ type: 'failed', problem: toError(error) })
      }
    },
  }
}

interface RunningTurn {
  readonly workspaceId: number
  readonly chatId: string
  readonly turnId: string
}

async function cancelTurn({ workspaceId, chatId, turnId }: RunningTurn): Promise<Error | null> {
  try {
    await request('cancelTurn', { path: { chatId, turnId }, body: { workspaceId } })
    return null
  } catch (error) {
    // The turn has already ended.
    return isTurnNotRunning(error) ? null : toError(error)
  }
}

interface SentMessage {
  readonly workspaceId: number
  readonly chatId: string
  readonly key: string
  readonly content: string
  readonly signal: AbortSignal
}

async function streamMessageReply(message: SentMessage, dispatch: Dispatch<TestChatAction>): Promise<void> {
  const { signal } = message
  try {
    await streamTurn(createTurnTransport(message), {
      onEvent: (event) => signal.aborted || dispatch({ type: 'event', event, atMs: now() }),
      onDisconnect: () => signal.aborted || dispatch({ type: 'disconnected' }),
    })
    // The stream does not include the retrieved passages or whether the agent ended the chat.
    const { workspaceId, chatId } = message
    const { value: chat } = await request('getChat', { path: { chatId }, query: { workspaceId } }, { signal })
    dispatch({ type: 'stored', chat })
  } catch (error) {
    if (!signal.aborted) dispatch({ type: 'rejected', problem: toError(error) })
  }
}

function createTurnTransport({ workspaceId, chatId, key, content, signal }: SentMessage): TurnTransport {
  const body = { workspaceId, content, stream: true }
  return {
    start: () => readEvents('createCompletion', { path: { chatId }, body }, { signal, idempotencyKey: key }),
    resume: (turnId, lastEventId) =>
      readEvents('getTurnEvents', { path: { chatId, turnId }, query: { workspaceId } }, { signal, lastEventId }),
    wait: (delayMs) => new Promise((resolve) => setTimer(delayMs, resolve)),
  }
}

async function endChatIgnoringErrors(workspaceId: number, chatId: string): Promise<void> {
  await request('endChat', { path: { chatId }, body: { workspaceId } }).catch(() => undefined)
}

const isTurnNotRunning = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'turn_not_running'

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

export interface TurnTransport {
  /** Sends the message, or resumes the turn that an earlier attempt started. */
  start(): AsyncIterable<StreamEvent>
  /** Returns the events of a started turn after the last received event. */
  resume(turnId: string, lastEventId: string): AsyncIterable<StreamEvent>
  wait(delayMs: number): Promise<void>
}

export interface TurnListener {
  onEvent(event: StreamEvent): void
  onDisconnect(): void
}

/** Delays before each retry. Receiving an event resets the delays. */
const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const

/** Streams the events of a turn and reconnects as needed. Throws if the turn fails. */
export async function streamTurn(transport: TurnTransport, { onEvent, onDisconnect }: TurnListener): Promise<void> {
  let turnId: string | null = null
  let lastEventId = '0'
  let failureCount = 0
  for (;;) {
    try {
      const events: AsyncIterable<StreamEvent> =
        turnId === null ? transport.start() : transport.resume(turnId, lastEventId)
      for await (const event of events) {
        failureCount = 0
        if (event.name === 'turn.started') turnId = (event.data as { turn_id: string }).turn_id
        if (event.id !== undefined) lastEventId = event.id
        onEvent(event)
        if (event.name === 'done') return
      }
    } catch (error) {
      if (!isTransient(error) || failureCount >= RETRY_DELAYS_MS.length) throw error
    }
    const delayMs = RETRY_DELAYS_MS[failureCount]
    if (delayMs === undefined) throw new Problem('The connection was interrupted.', { code: 'offline' })
    failureCount += 1
    onDisconnect()
    await transport.wait(delayMs)
  }
}
