import type { Tool } from '@parley/contract/tools'
import type { ToolType } from './tool-kinds.ts'

const CODE = `// dv holds the variables of the conversation as texts, metadata what came with it.
return { total: Number(dv.price) * 2 }
`

/** What a new tool of a type begins with; fields that somebody has to fill in are there and empty. */
const STARTS: { readonly [Type in ToolType]: Omit<Extract<Tool, { type: Type }>, 'type' | 'name'> } = {
  custom: { description: '', url: '', method: 'POST', parameters: { type: 'object', properties: {} } },
  code: { description: '', code: CODE },
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
  cancel_transfer: { description: 'Gives the caller back to the first agent.' },
  check_availability_cal: { description: '', cal_api_key: '', event_type_id: 0 },
  book_appointment_cal: { description: '', cal_api_key: '', event_type_id: 0 },
}

const NAMES: Readonly<Partial<Record<ToolType, string>>> = {
  custom: 'call_server',
  code: 'run_code',
  agent_swap: 'hand_over',
  extract_dynamic_variable: 'store_details',
  mcp: 'use_mcp_tool',
  press_digit: 'press_digits',
}

/** A new tool of a type, with a name that none of the others has. */
export function newTool(type: ToolType, taken: readonly string[]): Tool {
  return { type, name: freeName(NAMES[type] ?? type, taken), ...STARTS[type] } as Tool
}

/** The same tool under a name of its own. */
export function copyOfTool(tool: Tool, taken: readonly string[]): Tool {
  return { ...tool, name: freeName(tool.name.replace(/_\d+$/, ''), taken) }
}

const MAX_NAME_LENGTH = 64

/** `name`, or `name_2`, `name_3` … where that is taken. */
export function freeName(name: string, taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : `_${number}`
    const free = `${name.slice(0, MAX_NAME_LENGTH - ending.length)}${ending}`
    if (!taken.includes(free)) return free
  }
}
