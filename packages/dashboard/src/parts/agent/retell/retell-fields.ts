import type { FlowSwitches } from '@parley/contract/flow-switches'
import type { Llm } from '@parley/contract/llm'
import type { Tool } from '@parley/contract/tools'
import { AGENT_FIELDS, type FlowFields, LLM_FIELDS } from '../agent-body.ts'
import type { AgentApi, AnyAgent } from '../agent-kind.ts'
import { isObject, type JsonObject, saysNothing, withoutNulls } from '../json-value.ts'
import { isChatEvent, isVoiceEvent } from '../webhook-events.ts'

/** What was taken of a part of an export, and the paths in it that were not. */
export interface Taken<Fields> {
  readonly fields: Fields
  readonly leftOut: readonly string[]
}

/** What the exporting platform notes about a record: nothing that could be set. */
const NOTES: ReadonlySet<string> = new Set([
  'agent_id',
  'llm_id',
  'conversation_flow_id',
  'channel',
  'version',
  'base_version',
  'version_title',
  'version_description',
  'is_published',
  'assigned_tags',
  'last_modification_timestamp',
])

/** How one field is taken: its value here with the paths of what is missing in it, or nothing of it. */
type Taking = (value: unknown) => { readonly value: unknown; readonly leftOut?: readonly string[] } | 'left-out'
type Takings = Readonly<Record<string, Taking>>

const leaveOut: Taking = () => 'left-out'

/** Takes the fields that are known, each in its way. Null stands for the default on both sides. */
function take(part: JsonObject, known: readonly string[], takings: Takings): Taken<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  const leftOut: string[] = []
  for (const [name, value] of Object.entries(part)) {
    if (value === null || NOTES.has(name)) continue
    const taken = known.includes(name) ? (takings[name]?.(value) ?? { value: withoutNulls(value) }) : 'left-out'
    if (taken !== 'left-out') {
      if (taken.value !== undefined) fields[name] = taken.value
      leftOut.push(...(taken.leftOut ?? []))
    } else if (!saysNothing(value)) leftOut.push(name)
  }
  return { fields, leftOut }
}

/** Read together with what they belong to. */
const HANDLED = ['response_engine', 'retellLlmData', 'conversationFlow', 'responsiveness'] as const

/** Settings of an agent. Voices are others here, with models of their own. */
export function takeAgent(kind: AgentApi<AnyAgent>['kind'], part: JsonObject): Taken<JsonObject> {
  const isEvent = kind === 'agent' ? isVoiceEvent : isChatEvent
  const takings: Takings = {
    voice_id: leaveOut,
    voice_model: leaveOut,
    fallback_voice_ids: leaveOut,
    interruption_sensitivity: (value) => ({
      value: value === 0 ? 'none' : typeof value === 'number' ? String(value) : value,
    }),
    language: takeLanguage,
    // An empty list of categories would keep all personal data.
    pii_config: (value) => ({ value: isObject(value) && saysNothing(value.categories) ? undefined : value }),
    webhook_events: (value) => takeItems('webhook_events', value, (event) => isEvent(event)),
  }
  const rest = Object.fromEntries(
    Object.entries(part).filter(([name]) => !(HANDLED as readonly string[]).includes(name)),
  )
  return take(rest, AGENT_FIELDS[kind], takings)
}

/** Settings of an LLM configuration. `name` and `responsiveness` stand at the agent there. */
export function takeLlm(
  part: JsonObject,
  { name, responsiveness }: { readonly name: string; readonly responsiveness: unknown },
): Taken<Partial<Llm>> {
  const { start_speaker: speaker, ...rest } = part
  const takings: Takings = {
    knowledge_base_ids: takeNone,
    general_tools: (value) => takeTools('general_tools', value),
    states: takeStates,
  }
  const { fields, leftOut } = take(rest, LLM_FIELDS, takings)
  const llm = {
    ...fields,
    display_name: name,
    // Who begins is told by the first words here: none leave it to the user.
    ...(speaker === 'user' && { begin_message: '' }),
    ...(typeof responsiveness === 'number' && { responsiveness: String(responsiveness) }),
  }
  return { fields: llm, leftOut }
}

const FLOW_FIELDS = {
  start_speaker: true,
  global_prompt: true,
  model_choice: true,
  model_temperature: true,
  begin_after_user_silence_ms: true,
  max_hops_per_turn: true,
  start_node_id: true,
  nodes: true,
  tools: true,
  mcps: true,
  knowledge_base_ids: true,
  kb_config: true,
  components: true,
  default_dynamic_variables: true,
  notes: true,
  begin_tag_display_position: true,
} satisfies Readonly<Record<Exclude<keyof FlowFields, 'display_name' | keyof FlowSwitches>, true>>

/** A conversation flow. Its graph is the same; only what names records of the other platform is left out. */
export function takeFlow(part: JsonObject, name: string): Taken<FlowFields> {
  const takings: Takings = { knowledge_base_ids: takeNone, nodes: takeNodes }
  const { fields, leftOut } = take(part, Object.keys(FLOW_FIELDS), takings)
  // A file is no type: the server checks it.
  return { fields: { ...(fields as FlowFields), display_name: name }, leftOut }
}

/** Records of the other platform. */
const takeNone: Taking = (value) => (saysNothing(value) ? { value: undefined } : 'left-out')

const takeLanguage: Taking = (value) => {
  if (typeof value === 'string') return value === 'multi' ? 'left-out' : { value }
  if (!Array.isArray(value)) return { value }
  const [first, ...others] = value
  return { value: first, leftOut: others.map((_other, index) => `language[${index + 1}]`) }
}

/** The items of a list that can be taken; a value that is no list stays for the server to refuse. */
function takeItems(
  path: string,
  value: unknown,
  isTaken: (item: unknown) => boolean,
): { readonly value: unknown; readonly leftOut: readonly string[] } {
  if (!Array.isArray(value)) return { value, leftOut: [] }
  return {
    value: value.filter(isTaken).map(withoutNulls),
    leftOut: value.flatMap((item, index) => (isTaken(item) ? [] : [`${path}[${index}]${nameOf(item)}`])),
  }
}

/** What an item is called, behind its place. */
function nameOf(item: unknown): string {
  if (typeof item === 'string') return ` (${item})`
  const name = isObject(item) ? (item.name ?? item.type) : undefined
  return typeof name === 'string' ? ` (${name})` : ''
}

const TOOL_TYPES = {
  end_call: true,
  transfer_call: true,
  agent_swap: true,
  press_digit: true,
  send_sms: true,
  custom: true,
  code: true,
  extract_dynamic_variable: true,
  bridge_transfer: true,
  cancel_transfer: true,
  mcp: true,
  check_availability_cal: true,
  book_appointment_cal: true,
} satisfies Readonly<Record<Tool['type'], true>>

function takeTools(path: string, value: unknown): { readonly value: unknown; readonly leftOut: readonly string[] } {
  return takeItems(path, value, isOwnTool)
}

/** Whether a tool is of a type that is known and names no agent of the other platform. */
function isOwnTool(tool: unknown): boolean {
  if (!isObject(tool) || typeof tool.type !== 'string' || !Object.hasOwn(TOOL_TYPES, tool.type)) return false
  const { transfer_option: option } = tool
  return tool.type !== 'agent_swap' && !(isObject(option) && option.type === 'agentic_warm_transfer')
}

const takeStates: Taking = (value) => {
  if (!Array.isArray(value)) return { value }
  const taken = value.map((state, index) => {
    if (!isObject(state) || state.tools === undefined) return { value: withoutNulls(state), leftOut: [] }
    const tools = takeTools(`states[${index}].tools`, state.tools)
    return { value: withoutNulls({ ...state, tools: tools.value }), leftOut: tools.leftOut }
  })
  return { value: taken.map((one) => one.value), leftOut: taken.flatMap(({ leftOut }) => leftOut) }
}

const takeNodes: Taking = (value) => {
  if (!Array.isArray(value)) return { value }
  const hasOthers = (node: unknown): boolean => isObject(node) && !saysNothing(node.knowledge_base_ids)
  return {
    value: value.map((node) => withoutNulls(isObject(node) ? { ...node, knowledge_base_ids: null } : node)),
    leftOut: value.flatMap((node, index) => (hasOthers(node) ? [`nodes[${index}].knowledge_base_ids`] : [])),
  }
}
