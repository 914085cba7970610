import type { Tool } from '@parley/contract/tools'
import {
  ArrowRightLeft,
  Bot,
  Braces,
  CalendarCheck,
  CalendarSearch,
  Grid3x3,
  Link2,
  type LucideIcon,
  MessageSquareText,
  PhoneForwarded,
  PhoneOff,
  Plug,
  TextSearch,
  Undo2,
  Webhook,
} from 'lucide-react'
import { message } from '../../lib/language.ts'

export type ToolType = Tool['type']

/** What people know of a type of tool. */
export interface ToolKind {
  /** In English; shown through the catalogue. */
  readonly label: string
  readonly help: string
  readonly icon: LucideIcon
}

/** Every type of tool, the ones that most agents need first. */
export const TOOL_KINDS: Readonly<Record<ToolType, ToolKind>> = {
  custom: { label: message('HTTP endpoint'), help: message('Calls your own server.'), icon: Webhook },
  code: { label: message('Code'), help: message('Runs JavaScript in a sandbox.'), icon: Braces },
  end_call: { label: message('End the conversation'), help: message('Ends the call or chat.'), icon: PhoneOff },
  transfer_call: {
    label: message('Transfer the call'),
    help: message('Hands a call to a person or another number.'),
    icon: PhoneForwarded,
  },
  agent_swap: {
    label: message('Hand over to another agent'),
    help: message('Another agent goes on with the conversation.'),
    icon: Bot,
  },
  extract_dynamic_variable: {
    label: message('Extract variables'),
    help: message('Stores what was said as variables.'),
    icon: TextSearch,
  },
  mcp: { label: message('MCP tool'), help: message('Calls a tool of an MCP server.'), icon: Plug },
  press_digit: {
    label: message('Press digits'),
    help: message('Sends digits, for example to a phone menu.'),
    icon: Grid3x3,
  },
  send_sms: {
    label: message('Text message'),
    help: message('Writes a text message to the other party. It is kept, and not sent yet.'),
    icon: MessageSquareText,
  },
  bridge_transfer: {
    label: message('Connect both parties'),
    help: message('For agents that speak with the destination of a transfer: connects both.'),
    icon: Link2,
  },
  cancel_transfer: {
    label: message('Cancel the transfer'),
    help: message('For agents that speak with the destination of a transfer: gives the caller back.'),
    icon: Undo2,
  },
  check_availability_cal: {
    label: message('Free times at Cal.com'),
    help: message('Is kept, but not carried out: use an HTTP endpoint.'),
    icon: CalendarSearch,
  },
  book_appointment_cal: {
    label: message('Appointment at Cal.com'),
    help: message('Is kept, but not carried out: use an HTTP endpoint.'),
    icon: CalendarCheck,
  },
}

/** In the order of the menu. */
export const TOOL_TYPES = Object.keys(TOOL_KINDS) as readonly ToolType[]

export function isToolType(type: unknown): type is ToolType {
  return typeof type === 'string' && Object.hasOwn(TOOL_KINDS, type)
}

/** For a tool whose type is not known here. */
export const UNKNOWN_KIND: ToolKind = { label: message('Tool'), help: '', icon: ArrowRightLeft }

export const kindOf = (type: unknown): ToolKind => (isToolType(type) ? TOOL_KINDS[type] : UNKNOWN_KIND)

const TRIED: readonly ToolType[] = ['custom', 'code', 'mcp', 'extract_dynamic_variable', 'send_sms']

/** Whether the tool can be tried without a conversation. */
export function canBeTried(type: unknown): boolean {
  return (TRIED as readonly unknown[]).includes(type)
}
