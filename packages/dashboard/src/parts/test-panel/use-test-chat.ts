import { type Dispatch, useEffect, useReducer, useRef } from 'react'
import { readEvents } from '../../lib/api/events.ts'
import { request } from '../../lib/api/request.ts'
import { after, now, uniqueName } from '../../lib/clock.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { BeginConversation } from './conversation.ts'
import { followTurn, type TurnSource } from './follow-turn.ts'
import { afterChatAction, NO_CHAT, runningTurn, type TestChatAction, type TestChatState } from './test-chat-state.ts'

export interface TestChat extends TestChatState {
  start(): Promise<void>
  send(content: string): void
  /** Sends the last message once more. */
  sendAgain(): void
  /** Breaks the answer off. */
  stop(): Promise<void>
  end(): Promise<void>
}

/** A chat with an agent. What is under way when the component goes is not followed any more. */
export function useTestChat(begin: BeginConversation): TestChat {
  const workspaceId = useWorkspaceId()
  const [state, dispatch] = useReducer(afterChatAction, NO_CHAT)
  const following = useRef<AbortController | null>(null)
  useEffect(() => () => following.current?.abort(), [])
  const { chatId } = state

  async function start(): Promise<void> {
    following.current?.abort()
    dispatch({ type: 'starting' })
    try {
      if (state.phase === 'open' && chatId !== null) await endQuietly(workspaceId, chatId)
      const beginning = await begin()
      if (beginning === null) return dispatch({ type: 'not-started', problem: null })
      const { value: chat } = await request('createChat', { body: { workspaceId, ...beginning } })
      dispatch({ type: 'started', chat })
    } catch (error) {
      dispatch({ type: 'not-started', problem: toError(error) })
    }
  }

  function follow(key: string, content: string): void {
    if (chatId === null) return
    const ending = new AbortController()
    following.current = ending
    void followMessage({ workspaceId, chatId, key, content, signal: ending.signal }, dispatch)
  }

  return {
    ...state,
    start,
    send(content) {
      const key = uniqueName()
      dispatch({ type: 'sent', key, content, atMs: now() })
      follow(key, content)
    },
    sendAgain() {
      const last = state.turns.at(-1)
      if (last === undefined) return
      dispatch({ type: 'sent-again', atMs: now() })
      follow(last.key, last.content)
    },
    async stop() {
      const turnId = runningTurn(state)?.turnId ?? null
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

/** Answers what went wrong, if anything did. */
async function cancelTurn({ workspaceId, chatId, turnId }: RunningTurn): Promise<Error | null> {
  try {
    await request('cancelTurn', { path: { chatId, turnId }, body: { workspaceId } })
    return null
  } catch (error) {
    // Over meanwhile: that is what was wanted.
    return isTurnOver(error) ? null : toError(error)
  }
}

interface SentMessage {
  readonly workspaceId: number
  readonly chatId: string
  readonly key: string
  readonly content: string
  readonly signal: AbortSignal
}

async function followMessage(message: SentMessage, dispatch: Dispatch<TestChatAction>): Promise<void> {
  const { signal } = message
  try {
    await followTurn(sourceOf(message), {
      onEvent: (event) => signal.aborted || dispatch({ type: 'heard', event, atMs: now() }),
      onCut: () => signal.aborted || dispatch({ type: 'cut' }),
    })
  } catch (error) {
    if (!signal.aborted) dispatch({ type: 'refused', problem: toError(error) })
  }
}

function sourceOf({ workspaceId, chatId, key, content, signal }: SentMessage): TurnSource {
  const body = { workspaceId, content, stream: true }
  return {
    begin: () => readEvents('createCompletion', { path: { chatId }, body }, { signal, idempotencyKey: key }),
    resume: (turnId, lastEventId) =>
      readEvents('getTurnEvents', { path: { chatId, turnId }, query: { workspaceId } }, { signal, lastEventId }),
    wait: (delayMs) => new Promise((resolve) => after(delayMs, resolve)),
  }
}

/** A chat that is left for another one: nothing more is wanted of it. */
async function endQuietly(workspaceId: number, chatId: string): Promise<void> {
  await request('endChat', { path: { chatId }, body: { workspaceId } }).catch(() => undefined)
}

const isTurnOver = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'turn_not_running'

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
