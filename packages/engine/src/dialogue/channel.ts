import type { FlowNodeType } from '@parley/contract/flow-node'
import type { OfferedTool } from './tools/offered-tools.ts'

/** What a conversation is held over and what can be done there: a plain value, handed over by the driver with every turn. */
export interface Channel {
  readonly kind: ChannelKind
  readonly capabilities: Capabilities
}

export type ChannelKind = 'chat' | 'sms' | 'web_call' | 'phone_call'

/**
 * What some tools and nodes need and a channel may lack. Whatever every channel can do, such as ending the conversation or
 * sending a text message through the carrier, has no entry.
 */
export interface Capabilities {
  /** The call can be passed on to another party. */
  readonly transfer: boolean
  /** The call is the one between a transfer agent and its destination: both parties can be connected, or the transfer canceled. */
  readonly completeTransfer: boolean
  /** Keypad tones (DTMF) reach the other party. */
  readonly dtmf: boolean
}

/** No channel can do any of this today: no media leg sends tones, and calls are not transferred. */
const DEFAULTS: Capabilities = { transfer: false, completeTransfer: false, dtmf: false }

/** A channel as it is today, with what the driver's leg can do besides. */
export function channelOf(kind: ChannelKind, added: Partial<Capabilities> = {}): Channel {
  return { kind, capabilities: { ...DEFAULTS, ...added } }
}

/** Tools and nodes that need a capability; all others work in every channel. */
const NEEDS: Readonly<Partial<Record<OfferedTool['type'] | FlowNodeType, keyof Capabilities>>> = {
  transfer_call: 'transfer',
  bridge_transfer: 'completeTransfer',
  cancel_transfer: 'completeTransfer',
  press_digit: 'dtmf',
}

const CHANNEL_NAMES: Readonly<Record<ChannelKind, string>> = {
  chat: 'a written chat',
  sms: 'a text message conversation',
  web_call: 'a web call in the browser',
  phone_call: 'a phone call',
}

const LIMITS: Readonly<Record<keyof Capabilities, string>> = {
  transfer: 'calls cannot be transferred here',
  completeTransfer: 'there is no transfer to connect or cancel here',
  dtmf: 'keypad tones (DTMF) cannot be sent here',
}

/** How every refusal starts, so that stored results are recognized as failures. */
const REFUSAL_START = 'Not available in this channel: '

/**
 * Answered where the channel has the capability. The step that sets one in a driver adds a plan type for its tools and nodes,
 * which replaces this answer.
 */
export const NOT_PERFORMED = `${REFUSAL_START}nothing carries this out yet.`

/** Why a channel cannot do what a tool or node is there for: a sentence for models and builders. `null`: it can. */
export function channelRefusal({ kind, capabilities }: Channel, type: keyof typeof NEEDS): string | null {
  const needed = NEEDS[type]
  if (needed === undefined || capabilities[needed]) return null
  return `${REFUSAL_START}this is ${CHANNEL_NAMES[kind]}; ${LIMITS[needed]}.`
}

/** Whether the stored content of a result is a refusal. */
export function isRefusalContent(content: string): boolean {
  return content.startsWith(REFUSAL_START)
}
