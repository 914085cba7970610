import type { FlowSwitches } from '@parley/contract/flow-switches'
import type { Llm } from '@parley/contract/llm'
import type { EngineType } from '@parley/contract/response-engine'
import type { Tool } from '@parley/contract/tools'
import type { AgentFile, AgentKind, AnyAgent, NewAgent, ReadFile } from '../agent-api.ts'
import { AGENT_FIELDS, type FlowFields, isChatEvent, isVoiceEvent, LLM_FIELDS } from '../agent-body.ts'
import { emptyEngine, engineKindOf } from '../engine.ts'
import { isBlank, isObject, type JsonObject, withoutNulls } from '../json-value.ts'

const ENGINE_TYPES = ['retell-llm', 'conversation-flow', 'custom-llm'] as const satisfies readonly EngineType[]
const engineTypeOf = (engine: unknown) =>
  isObject(engine) ? ENGINE_TYPES.find((type) => type === engine.type) : undefined

/** Whether a value is a Retell export: settings at the top level and no `kind`. */
export function isRetellAgent(content: unknown): content is JsonObject {
  return isObject(content) && content.kind === undefined && 'response_engine' in content
}

/** Reads a Retell export. Unknown settings and references to Retell records are left out and listed. */
export function readRetellAgent<Value extends AnyAgent>(kind: AgentKind, content: JsonObject): ReadFile<Value> {
  const imported = readEngine(content)
  if ('fault' in imported) return { file: null, fault: imported.fault }
  if (kindOf(content) !== kind) return { file: null, fault: 'other-kind' }
  const { fields, leftOut } = importAgent(kind, content)
  const { engine, llm, flow } = imported
  const agent = { ...fields, response_engine: engine } as NewAgent<Value>
  return { file: { agent, llm, flow, leftOut: [...leftOut, ...imported.leftOut] }, fault: null }
}

type EngineImport = Pick<AgentFile<AnyAgent>, 'llm' | 'flow' | 'leftOut'> & {
  readonly engine: NewAgent<AnyAgent>['response_engine']
}

/** The LLM configuration or flow, which exports from the Retell dashboard contain. */
function readEngine(
  content: JsonObject,
): EngineImport | { readonly fault: 'no-engine' | 'no-vendor-llm' | 'no-vendor-flow' } {
  const { response_engine: engine, retellLlmData: llmPart, conversationFlow: flowPart, responsiveness } = content
  const type = engineTypeOf(engine)
  if (type === undefined || !isObject(engine)) return { fault: 'no-engine' }
  const empty = emptyEngine(engineKindOf(type))
  if (type === 'retell-llm') {
    if (!isObject(llmPart)) return { fault: 'no-vendor-llm' }
    const { fields, leftOut } = importLlm(llmPart, { name: textOf(content.agent_name), responsiveness })
    return { engine: empty, llm: fields, flow: null, leftOut: below('retellLlmData', leftOut) }
  }
  // `responsiveness` belongs to LLM configurations here.
  const speedPaths = typeof responsiveness === 'number' ? ['responsiveness'] : []
  if (type === 'conversation-flow') {
    if (!isObject(flowPart)) return { fault: 'no-vendor-flow' }
    const { fields, leftOut } = importFlow(flowPart, textOf(content.agent_name))
    return { engine: empty, llm: null, flow: fields, leftOut: [...speedPaths, ...below('conversationFlow', leftOut)] }
  }
  const custom = { ...empty, llm_websocket_url: textOf(engine.llm_websocket_url) }
  return { engine: custom, llm: null, flow: null, leftOut: speedPaths }
}

/** Chat agents have a channel or no voice. */
function kindOf({ channel, voice_id: voiceId }: JsonObject): AgentKind {
  if (channel === 'voice' || channel === 'chat') return channel === 'voice' ? 'agent' : 'chat-agent'
  return voiceId === undefined ? 'chat-agent' : 'agent'
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const below = (part: string, paths: readonly string[]): string[] => paths.map((path) => `${part}.${path}`)

/** Imported fields, and the paths of those left out. */
interface Imported<Fields> {
  readonly fields: Fields
  readonly leftOut: readonly string[]
}

/** Metadata of exports, which is no setting. */
const METADATA_FIELDS: ReadonlySet<string> = new Set([
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

/** How one field is imported: its value and its unsupported parts, or nothing. */
type FieldImport = (value: unknown) => { readonly value: unknown; readonly leftOut?: readonly string[] } | 'left-out'
type FieldImports = Readonly<Record<string, FieldImport>>

const leaveOut: FieldImport = () => 'left-out'

/** Imports known fields; null means the default on both platforms. */
function importFields(
  part: JsonObject,
  known: readonly string[],
  imports: FieldImports,
): Imported<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  const leftOut: string[] = []
  for (const [name, value] of Object.entries(part)) {
    if (value === null || METADATA_FIELDS.has(name)) continue
    const imported = known.includes(name) ? (imports[name]?.(value) ?? { value: withoutNulls(value) }) : 'left-out'
    if (imported !== 'left-out') {
      if (imported.value !== undefined) fields[name] = imported.value
      leftOut.push(...(imported.leftOut ?? []))
    } else if (!isBlank(value)) leftOut.push(name)
  }
  return { fields, leftOut }
}

/** Imported separately. */
const HANDLED = ['response_engine', 'retellLlmData', 'conversationFlow', 'responsiveness'] as const

/** Settings of an agent, without its voices, which do not exist here. */
function importAgent(kind: AgentKind, part: JsonObject): Imported<JsonObject> {
  const isEvent = kind === 'agent' ? isVoiceEvent : isChatEvent
  const imports: FieldImports = {
    voice_id: leaveOut,
    voice_model: leaveOut,
    fallback_voice_ids: leaveOut,
    interruption_sensitivity: (value) => ({
      value: value === 0 ? 'none' : typeof value === 'number' ? String(value) : value,
    }),
    language: importLanguage,
    // An empty list would keep all personal data.
    pii_config: (value) => ({ value: isObject(value) && isBlank(value.categories) ? undefined : value }),
    webhook_events: (value) => importItems('webhook_events', value, (event) => isEvent(event)),
  }
  const rest = Object.fromEntries(
    Object.entries(part).filter(([name]) => !(HANDLED as readonly string[]).includes(name)),
  )
  return importFields(rest, AGENT_FIELDS[kind], imports)
}

/** Settings of an LLM configuration; Retell keeps `name` and `responsiveness` with the agent. */
function importLlm(
  part: JsonObject,
  { name, responsiveness }: { readonly name: string; readonly responsiveness: unknown },
): Imported<Partial<Llm>> {
  const { start_speaker: speaker, ...rest } = part
  const imports: FieldImports = {
    knowledge_base_ids: importNone,
    general_tools: (value) => importTools('general_tools', value),
    states: importStates,
  }
  const { fields, leftOut } = importFields(rest, LLM_FIELDS, imports)
  const llm = {
    ...fields,
    display_name: name,
    // An empty opening message makes the user speak first.
    ...(speaker === 'user' && { begin_message: '' }),
    ...(typeof responsiveness === 'number' && { responsiveness: String(responsiveness) }),
  }
  return { fields: llm, leftOut }
}

const RETELL_FLOW_FIELDS = {
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

/** A conversation flow, without references to Retell records. */
function importFlow(part: JsonObject, name: string): Imported<FlowFields> {
  const imports: FieldImports = { knowledge_base_ids: importNone, nodes: importNodes }
  const { fields, leftOut } = importFields(part, Object.keys(RETELL_FLOW_FIELDS), imports)
  // The server validates the content.
  return { fields: { ...(fields as FlowFields), display_name: name }, leftOut }
}

/** References to Retell records are never imported. */
const importNone: FieldImport = (value) => (isBlank(value) ? { value: undefined } : 'left-out')

const importLanguage: FieldImport = (value) => {
  if (typeof value === 'string') return value === 'multi' ? 'left-out' : { value }
  if (!Array.isArray(value)) return { value }
  const [first, ...others] = value
  return { value: first, leftOut: others.map((_other, index) => `language[${index + 1}]`) }
}

/** The importable items of a list; the server rejects a value that is no list. */
function importItems(
  path: string,
  value: unknown,
  isImportable: (item: unknown) => boolean,
): { readonly value: unknown; readonly leftOut: readonly string[] } {
  if (!Array.isArray(value)) return { value, leftOut: [] }
  return {
    value: value.filter(isImportable).map(withoutNulls),
    leftOut: value.flatMap((item, index) => (isImportable(item) ? [] : [`${path}[${index}]${nameOf(item)}`])),
  }
}

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

function importTools(path: string, value: unknown): { readonly value: unknown; readonly leftOut: readonly string[] } {
  return importItems(path, value, isOwnTool)
}

/** Whether a tool has a known type and references no Retell agent. */
function isOwnTool(tool: unknown): boolean {
  if (!isObject(tool) || typeof tool.type !== 'string' || !Object.hasOwn(TOOL_TYPES, tool.type)) return false
  const { transfer_option: option } = tool
  return tool.type !== 'agent_swap' && !(isObject(option) && option.type === 'agentic_warm_transfer')
}

const importStates: FieldImport = (value) => {
  if (!Array.isArray(value)) return { value }
  const states = value.map((state, index) => {
    if (!isObject(state) || state.tools === undefined) return { value: withoutNulls(state), leftOut: [] }
    const tools = importTools(`states[${index}].tools`, state.tools)
    return { value: withoutNulls({ ...state, tools: tools.value }), leftOut: tools.leftOut }
  })
  return { value: states.map((one) => one.value), leftOut: states.flatMap(({ leftOut }) => leftOut) }
}

const importNodes: FieldImport = (value) => {
  if (!Array.isArray(value)) return { value }
  const hasOthers = (node: unknown): boolean => isObject(node) && !isBlank(node.knowledge_base_ids)
  return {
    value: value.map((node) => withoutNulls(isObject(node) ? { ...node, knowledge_base_ids: null } : node)),
    leftOut: value.flatMap((node, index) => (hasOthers(node) ? [`nodes[${index}].knowledge_base_ids`] : [])),
  }
}
