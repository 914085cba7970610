import type { ChatStatus, ChatType } from '@parley/contract/chat'
import type { Decision } from '@parley/contract/chat-turn'
import type { TurnStatus } from '@parley/contract/events'
import { message } from '../../lib/language.ts'
import type { BadgeVariant } from '../../parts/transcript/conversation-cells.tsx'

export const STATUS_VARIANTS: Readonly<Record<ChatStatus, BadgeVariant>> = {
  ongoing: { label: message('Ongoing'), tone: 'brand' },
  completed: { label: message('Completed'), tone: 'good' },
  error: { label: message('Failed'), tone: 'bad' },
}

export const TYPE_LABELS: Readonly<Record<ChatType, string>> = {
  web_chat: message('Web'),
  sms_chat: message('Text messages'),
  api_chat: message('API'),
}

export const TURN_VARIANTS: Readonly<Record<TurnStatus, BadgeVariant>> = {
  running: { label: message('Running'), tone: 'brand' },
  completed: { label: message('Completed'), tone: 'good' },
  failed: { label: message('Failed'), tone: 'bad' },
  cancelled: { label: message('Canceled'), tone: 'warn' },
  interrupted: { label: message('Interrupted'), tone: 'warn' },
}

export const DECISION_LABELS: Readonly<Record<Decision['type'], string>> = {
  'model-retry': message('Retried the model'),
  'model-fallback': message('Fell back to another model'),
  'fallback-message': message('Sent the fallback message'),
  'history-trimmed': message('Dropped the oldest messages'),
  'blank-answer': message('Received an empty answer'),
  'tool-limit': message('Reached the tool limit'),
  'flow-decision': message('Chose a flow edge'),
  'hop-limit': message('Reached the step limit of the flow'),
  'loop-stopped': message('Stopped a loop in the flow'),
  'knowledge-retrieved': message('Searched the knowledge base'),
  skipped: message('Skipped the answer'),
  'agent-swap': message('Handed off to another agent'),
}
