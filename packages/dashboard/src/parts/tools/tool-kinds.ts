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

export interface ToolKind {
  readonly label: string
  readonly help: string
  readonly icon: LucideIcon
}

/** Every tool type, in menu order. */
export const TOOL_KINDS: Readonly<Record<ToolType, ToolKind>> = {
  custom: { label: message('HTTP endpoint'), help: message('Calls your own server.'), icon: Webhook },
  code: { label: message('Code'), help: message('Runs JavaScript in a sandbox.'), icon: Braces },
  end_call: { label: message('End conversation'), help: message('Ends the call or chat.'), icon: PhoneOff },
  transfer_call: {
    label: message('Transfer call'),
    help: message('Transfers a call to a person or another number.'),
    icon: PhoneForwarded,
  },
  agent_swap: {
    label: message('Transfer to agent'),
    help: message('Another agent continues the conversation.'),
    icon: Bot,
  },
  extract_dynamic_variable: {
    label: message('Extract variables'),
    help: message('Stores details of the conversation as variables.'),
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
    help: message('Records a text message. Messages are not sent yet.'),
    icon: MessageSquareText,
  },
  bridge_transfer: {
    label: message('Complete transfer'),
    help: message('For transfer agents: connects both parties.'),
    icon: Link2,
  },
  cancel_transfer: {
    label: message('Cancel transfer'),
    help: message('For transfer agents: returns the caller.'),
    icon: Undo2,
  },
  check_availability_cal: {
    label: message('Cal.com availability'),
    help: message('Stored but not run. Use an HTTP endpoint instead.'),
    icon: CalendarSearch,
  },
  book_appointment_cal: {
    label: message('Cal.com booking'),
    help: message('Stored but not run. Use an HTTP endpoint instead.'),
    icon: CalendarCheck,
  },
}

export const TOOL_TYPES = Object.keys(TOOL_KINDS) as readonly ToolType[]

export function isToolType(type: unknown): type is ToolType {
  return typeof type === 'string' && Object.hasOwn(TOOL_KINDS, type)
}

export const UNKNOWN_KIND: ToolKind = { label: message('Tool'), help: '', icon: ArrowRightLeft }

export const getToolKind = (type: unknown): ToolKind => (isToolType(type) ? TOOL_KINDS[type] : UNKNOWN_KIND)

const TESTABLE_TYPES: readonly ToolType[] = ['custom', 'code', 'mcp', 'extract_dynamic_variable', 'send_sms']

/** Whether a tool can be tested without a conversation. */
export function isTestable(type: unknown): boolean {
  return (TESTABLE_TYPES as readonly unknown[]).includes(type)
}

const SAMPLE_CODE = `// dv contains the variables of the conversation as text, metadata its metadata.
return { total: Number(dv.price) * 2 }
`

/** Initial fields of each type; required fields are empty. */
const INITIAL_FIELDS: { readonly [Type in ToolType]: Omit<Extract<Tool, { type: Type }>, 'type' | 'name'> } = {
  custom: { description: '', url: '', method: 'POST', parameters: { type: 'object', properties: {} } },
  code: { description: '', code: SAMPLE_CODE },
  end_call: { description: 'Ends the conversation. Use it once the user has said goodbye.' },
  transfer_call: {
    description: 'Transfers the call to a colleague. Use it when the user asks for a person.',
    transfer_destination: { type: 'predefined', number: '' },
    transfer_option: { type: 'cold_transfer' },
  },
  agent_swap: { description: '', agent_id: '' },
  extract_dynamic_variable: { description: '', variables: [{ type: 'string', name: '', description: '' }] },
  mcp: { description: '', mcp_id: '' },
  press_digit: { description: 'Presses digits. Use it to get through a phone menu.' },
  send_sms: { description: '', sms_content: { type: 'predefined', text: '' } },
  bridge_transfer: { description: 'Connects both parties.' },
  cancel_transfer: { description: 'Returns the caller to the first agent.' },
  check_availability_cal: { description: '', cal_api_key: '', event_type_id: 0 },
  book_appointment_cal: { description: '', cal_api_key: '', event_type_id: 0 },
}

const DEFAULT_NAMES: Readonly<Partial<Record<ToolType, string>>> = {
  custom: 'call_server',
  code: 'run_code',
  agent_swap: 'hand_over',
  extract_dynamic_variable: 'store_details',
  mcp: 'use_mcp_tool',
  press_digit: 'press_digits',
}

/** Creates a tool with a unique name. */
export function createTool(type: ToolType, usedNames: readonly string[]): Tool {
  return { type, name: findAvailableName(DEFAULT_NAMES[type] ?? type, usedNames), ...INITIAL_FIELDS[type] } as Tool
}

/** Copies a tool and gives the copy a unique name. */
export function copyTool(tool: Tool, usedNames: readonly string[]): Tool {
  return { ...tool, name: findAvailableName(tool.name.replace(/_\d+$/, ''), usedNames) }
}

const MAX_NAME_LENGTH = 64

/** Returns the name, or the name with the lowest unused suffix, such as `name_2`. */
export function findAvailableName(name: string, usedNames: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`
    const candidate = `${name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`
    if (!usedNames.includes(candidate)) return candidate
  }
}
