import type { ChatStatus, ChatType } from '@parley/contract/chat'
import type { Decision } from '@parley/contract/chat-turn'
import type { TurnStatus } from '@parley/contract/events'
import type { Tone } from '../../components/badge.tsx'
import { message } from '../../lib/language.ts'

/** What the words of chats are called on the screen, in English; shown through the catalogue. */

interface Look {
  readonly label: string
  readonly tone: Tone
}

export const STATUS_LOOKS: Readonly<Record<ChatStatus, Look>> = {
  ongoing: { label: message('Ongoing'), tone: 'brand' },
  completed: { label: message('Completed'), tone: 'good' },
  error: { label: message('Failed'), tone: 'bad' },
}

export const TYPE_WORDS: Readonly<Record<ChatType, string>> = {
  web_chat: message('Web'),
  sms_chat: message('Text messages'),
  api_chat: message('API'),
}

export const TURN_LOOKS: Readonly<Record<TurnStatus, Look>> = {
  running: { label: message('Running'), tone: 'brand' },
  completed: { label: message('Completed'), tone: 'good' },
  failed: { label: message('Failed'), tone: 'bad' },
  cancelled: { label: message('Cancelled'), tone: 'warn' },
  interrupted: { label: message('Interrupted'), tone: 'warn' },
}

/** What was decided in a turn. */
export const DECISION_WORDS: Readonly<Record<Decision['type'], string>> = {
  'model-retry': message('The model was asked again'),
  'model-fallback': message('Another model was asked'),
  'fallback-message': message('A prepared message was given instead of an answer'),
  'history-trimmed': message('The oldest messages were left out'),
  'blank-answer': message('The model answered nothing'),
  'tool-limit': message('No more tools were allowed'),
  'flow-decision': message('The way through the flow was chosen'),
  'hop-limit': message('The flow went through too many steps'),
  'loop-stopped': message('A loop in the flow was stopped'),
  'knowledge-retrieved': message('Knowledge was searched'),
  skipped: message('No answer was needed'),
  'agent-swap': message('Another agent took over'),
}
