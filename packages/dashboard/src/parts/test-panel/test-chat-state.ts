import type { Chat } from '@parley/contract/chat'
import type { StreamEvent } from '../../lib/api/events.ts'
import { beginAgain, beginTurn, hearEvent, isOver, refuseTurn, type TurnState } from './chat-state.ts'

/** A chat of the test panel, from its start to its end. */
export interface TestChatState {
  readonly phase: 'idle' | 'starting' | 'open' | 'ended'
  readonly chatId: string | null
  readonly agentName: string
  /** What the agent says before anybody else. */
  readonly opening: readonly { readonly id: string; readonly text: string }[]
  readonly turns: readonly TurnState[]
  /** Why it could not start, go on or end. */
  readonly problem: Error | null
  /** The connection is gone, and it is tried to come back. */
  readonly isReconnecting: boolean
}

export const NO_CHAT: TestChatState = {
  phase: 'idle',
  chatId: null,
  agentName: '',
  opening: [],
  turns: [],
  problem: null,
  isReconnecting: false,
}

export type TestChatAction =
  | { readonly type: 'starting' }
  | { readonly type: 'not-started'; readonly problem: Error | null }
  | { readonly type: 'started'; readonly chat: Pick<Chat, 'chatId' | 'agentName' | 'messages'> }
  | { readonly type: 'sent'; readonly key: string; readonly content: string; readonly atMs: number }
  | { readonly type: 'sent-again'; readonly atMs: number }
  | { readonly type: 'heard'; readonly event: StreamEvent; readonly atMs: number }
  | { readonly type: 'cut' }
  | { readonly type: 'refused'; readonly problem: Error }
  | { readonly type: 'failed'; readonly problem: Error }
  | { readonly type: 'ended' }

export function afterChatAction(state: TestChatState, action: TestChatAction): TestChatState {
  switch (action.type) {
    case 'starting':
      return { ...NO_CHAT, phase: 'starting' }
    case 'not-started':
      return { ...NO_CHAT, problem: action.problem }
    case 'started': {
      const { chatId, agentName, messages } = action.chat
      const opening = messages.map(({ message_id: id, content }) => ({ id, text: content }))
      return { ...NO_CHAT, phase: 'open', chatId, agentName, opening }
    }
    case 'sent':
      return { ...state, problem: null, turns: [...state.turns, beginTurn(action, action.atMs)] }
    case 'sent-again':
      return { ...withLast(state, (turn) => beginAgain(turn, action.atMs)), problem: null }
    case 'heard':
      return { ...withLast(state, (turn) => hearEvent(turn, action.event, action.atMs)), isReconnecting: false }
    case 'cut':
      return { ...state, isReconnecting: true }
    case 'refused':
      return { ...withLast(state, refuseTurn), problem: action.problem, isReconnecting: false }
    case 'failed':
      return { ...state, problem: action.problem }
    case 'ended':
      return { ...state, phase: 'ended', problem: null, isReconnecting: false }
  }
}

function withLast(state: TestChatState, change: (turn: TurnState) => TurnState): TestChatState {
  return { ...state, turns: state.turns.map((turn, index) => (index === state.turns.length - 1 ? change(turn) : turn)) }
}

/** The turn that is being answered; null when it is the person's turn. */
export function runningTurn({ turns }: TestChatState): TurnState | null {
  const last = turns.at(-1)
  return last === undefined || isOver(last) ? null : last
}
