import type { FlowNodeType } from '@parley/contract/flow-node'
import type { OfferedTool } from './tools/offered-tools.ts'

/** A conversation's channel and its capabilities. The driver passes this plain value with every turn. */
export interface Channel {
  readonly kind: ChannelKind
  readonly capabilities: Capabilities
}

export type ChannelKind = 'chat' | 'sms' | 'web_call' | 'phone_call'

/** Capabilities that only some channels have. */
export interface Capabilities {
  /** Whether the call can be transferred to another party. */
  readonly transfer: boolean
  /** Whether this is the call between a transfer agent and its destination, so the transfer can be connected or canceled. */
  readonly completeTransfer: boolean
  /** Whether keypad tones (DTMF) reach the other party. */
  readonly dtmf: boolean
}

/** Media legs do not yet send tones or transfer calls. */
const DEFAULT_CAPABILITIES: Capabilities = { transfer: false, completeTransfer: false, dtmf: false }

/** Creates a channel with the default capabilities and the media leg's additional ones. */
export function createChannel(kind: ChannelKind, extraCapabilities: Partial<Capabilities> = {}): Channel {
  return { kind, capabilities: { ...DEFAULT_CAPABILITIES, ...extraCapabilities } }
}

/** Capabilities that tools and nodes require. Other types work in every channel. */
const REQUIRED_CAPABILITIES: Readonly<Partial<Record<OfferedTool['type'] | FlowNodeType, keyof Capabilities>>> = {
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

const LIMITATIONS: Readonly<Record<keyof Capabilities, string>> = {
  transfer: 'calls cannot be transferred here',
  completeTransfer: 'there is no transfer to connect or cancel here',
  dtmf: 'keypad tones (DTMF) cannot be sent here',
}

/** Prefix of every refusal. Stored results that start with it count as failures. */
const REFUSAL_PREFIX = 'Not available in this channel: '

/** Result of an action that the channel supports but no driver implements yet. */
export const NOT_IMPLEMENTED = `${REFUSAL_PREFIX}nothing carries this out yet.`

/** Returns a sentence that explains why the channel cannot run the tool or node, or `null` if it can. */
export function getChannelRefusal(
  { kind, capabilities }: Channel,
  type: keyof typeof REQUIRED_CAPABILITIES,
): string | null {
  const requiredCapability = REQUIRED_CAPABILITIES[type]
  if (requiredCapability === undefined || capabilities[requiredCapability]) return null
  return `${REFUSAL_PREFIX}this is ${CHANNEL_NAMES[kind]}; ${LIMITATIONS[requiredCapability]}.`
}

/** Whether a stored result is a refusal. */
export function isRefusalContent(content: string): boolean {
  return content.startsWith(REFUSAL_PREFIX)
}
