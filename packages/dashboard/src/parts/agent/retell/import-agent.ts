import type { FlowSwitches } from '@parley/contract/flow-switches'
import type { Llm } from '@parley/contract/llm'
import type { EngineType } from '@parley/contract/response-engine'
import type { Tool } from '@parley/contract/tools'
import type { AgentFile, AgentKind, AnyAgent, NewAgent, ReadFile } from '../agent-api.ts'
import { AGENT_FIELDS, type FlowFields, isChatEvent, isVoiceEvent, LLM_FIELDS } from '../agent-body.ts'
import { createEmptyEngine, toEngineKind } from '../engine.ts'
import { isBlank, isObject, type JsonObject, removeNulls } from '../json-value.ts'

const ENGINE_TYPES = ['retell-llm', 'conversation-flow', 'custom-llm'] as const satisfies readonly EngineType[]
const getEngineType = (engine: unknown) =>
  isObject(engine) ? ENGINE_TYPES.find((type) => type === engine.type) : undefined

/** Whether a value is a Retell export, which has top-level settings and no `kind`. */
export function isRetellAgent(content: unknown): content is JsonObject {
  return isObject(content) && content.kind === undefined && 'response_engine' in content
}

/** Reads a Retell export. Omits and lists unknown settings and references to Retell records. */
export function readRetellAgent<Value extends AnyAgent>(kind: AgentKind, content: JsonObject): ReadFile<Value> {
  const engineImport = readEngine(content)
  if ('error' in engineImport) return { file: null, error: engineImport.error }
  if (detectKind(content) !== kind) return { file: null, error: 'wrong-kind' }
  const { fields, omittedPaths } = importAgent(kind, content)
  const { engine, llm, flow } = engineImport
  const agent = { ...fields, response_engine: engine } as NewAgent<Value>
  return { file: { agent, llm, flow, omittedPaths: [...omittedPaths, ...engineImport.omittedPaths] }, error: null }
}

type EngineImport = Pick<AgentFile<AnyAgent>, 'llm' | 'flow' | 'omittedPaths'> & {
  readonly engine: NewAgent<AnyAgent>['response_engine']
}

/** Reads the LLM configuration or flow that Retell dashboard exports contain. */
function readEngine(
  content: JsonObject,
): EngineImport | { readonly error: 'no-engine' | 'no-vendor-llm' | 'no-vendor-flow' } {
  const { response_engine: engine, retellLlmData: llmPart, conversationFlow: flowPart, responsiveness } = content
  const type = getEngineType(engine)
  if (type === undefined || !isObject(engine)) return { error: 'no-engine' }
  const emptyEngine = createEmptyEngine(toEngineKind(type))
  if (type === 'retell-llm') {
    if (!isObject(llmPart)) return { error: 'no-vendor-llm' }
    const { fields, omittedPaths } = importLlm(llmPart, { name: readText(content.agent_name), responsiveness })
    return { engine: emptyEngine, llm: fields, flow: null, omittedPaths: prefixPaths('retellLlmData', omittedPaths) }
  }
  // In Parley, `responsiveness` belongs to the LLM configuration.
  const speedPaths = typeof responsiveness === 'number' ? ['responsiveness'] : []
  if (type === 'conversation-flow') {
    if (!isObject(flowPart)) return { error: 'no-vendor-flow' }
    const { fields, omittedPaths } = importFlow(flowPart, readText(content.agent_name))
    return {
      engine: emptyEngine,
      llm: null,
      flow: fields,
      omittedPaths: [...speedPaths, ...prefixPaths('conversationFlow', omittedPaths)],
    }
  }
  const customEngine = { ...emptyEngine, llm_websocket_url: readText(engine.llm_websocket_url) }
  return { engine: customEngine, llm: null, flow: null, omittedPaths: speedPaths }
}

/** Returns the agent kind. Chat agents have a channel or no voice. */
function detectKind({ channel, voice_id: voiceId }: JsonObject): AgentKind {
  if (channel === 'voice' || channel === 'chat') return channel === 'voice' ? 'agent' : 'chat-agent'
  return voiceId === undefined ? 'chat-agent' : 'agent'
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

const prefixPaths = (part: string, paths: readonly string[]): string[] => paths.map((path) => `${part}.${path}`)

/** Imported fields, plus the paths of omitted fields. */
interface Imported<Fields> {
  readonly fields: Fields
  readonly omittedPaths: readonly string[]
}

/** Export metadata that is not a setting. */
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

/** Imports one field and lists its unsupported parts. Returns `omitted` for an unsupported field. */
type FieldImport = (
  value: unknown,
) => { readonly value: unknown; readonly omittedPaths?: readonly string[] } | 'omitted'
type FieldImports = Readonly<Record<string, FieldImport>>

const omitField: FieldImport = () => 'omitted'

/** Imports known fields. On both platforms, null means the default. */
function importFields(
  part: JsonObject,
  supportedNames: readonly string[],
  imports: FieldImports,
): Imported<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  const omittedPaths: string[] = []
  for (const [name, value] of Object.entries(part)) {
    if (value === null || METADATA_FIELDS.has(name)) continue
    const importedField = supportedNames.includes(name)
      ? (imports[name]?.(value) ?? { value: removeNulls(value) })
      : 'omitted'
    if (importedField !== 'omitted') {
      if (importedField.value !== undefined) fields[name] = importedField.value
      omittedPaths.push(...(importedField.omittedPaths ?? []))
    } else if (!isBlank(value)) omittedPaths.push(name)
  }
  return { fields, omittedPaths }
}

/** Fields that other functions import. */
const HANDLED_FIELDS = ['response_engine', 'retellLlmData', 'conversationFlow', 'responsiveness'] as const

/** Imports agent settings, except for the voices, which do not exist in Parley. */
function importAgent(kind: AgentKind, part: JsonObject): Imported<JsonObject> {
  const isEvent = kind === 'agent' ? isVoiceEvent : isChatEvent
  const imports: FieldImports = {
    voice_id: omitField,
    voice_model: omitField,
    fallback_voice_ids: omitField,
    interruption_sensitivity: (value) => ({
      value: value === 0 ? 'none' : typeof value === 'number' ? String(value) : value,
    }),
    language: importLanguage,
    // An empty list would keep all personal data.
    pii_config: (value) => ({ value: isObject(value) && isBlank(value.categories) ? undefined : value }),
    webhook_events: (value) => importItems('webhook_events', value, (event) => isEvent(event)),
  }
  const remainingSettings = Object.fromEntries(
    Object.entries(part).filter(([name]) => !(HANDLED_FIELDS as readonly string[]).includes(name)),
  )
  return importFields(remainingSettings, AGENT_FIELDS[kind], imports)
}

/** Imports LLM configuration settings. Retell stores `name` and `responsiveness` with the agent. */
function importLlm(
  part: JsonObject,
  { name, responsiveness }: { readonly name: string; readonly responsiveness: unknown },
): Imported<Partial<Llm>> {
  const { start_speaker: startSpeaker, ...rest } = part
  const imports: FieldImports = {
    knowledge_base_ids: omitReferences,
    general_tools: (value) => importTools('general_tools', value),
    states: importStates,
  }
  const { fields, omittedPaths } = importFields(rest, LLM_FIELDS, imports)
  const llm = {
    ...fields,
    display_name: name,
    // With an empty opening message, the user speaks first.
    ...(startSpeaker === 'user' && { begin_message: '' }),
    ...(typeof responsiveness === 'number' && { responsiveness: String(responsiveness) }),
  }
  return { fields: llm, omittedPaths }
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

/** Imports a conversation flow without references to Retell records. */
function importFlow(part: JsonObject, name: string): Imported<FlowFields> {
  const imports: FieldImports = { knowledge_base_ids: omitReferences, nodes: importNodes }
  const { fields, omittedPaths } = importFields(part, Object.keys(RETELL_FLOW_FIELDS), imports)
  // The server validates the content.
  return { fields: { ...(fields as FlowFields), display_name: name }, omittedPaths }
}

/** Omits references to Retell records. */
const omitReferences: FieldImport = (value) => (isBlank(value) ? { value: undefined } : 'omitted')

const importLanguage: FieldImport = (value) => {
  if (typeof value === 'string') return value === 'multi' ? 'omitted' : { value }
  if (!Array.isArray(value)) return { value }
  const [firstLanguage, ...otherLanguages] = value
  return { value: firstLanguage, omittedPaths: otherLanguages.map((_language, index) => `language[${index + 1}]`) }
}

/** Imports the supported items of a list. The server rejects values that are not lists. */
function importItems(
  path: string,
  value: unknown,
  isImportable: (item: unknown) => boolean,
): { readonly value: unknown; readonly omittedPaths: readonly string[] } {
  if (!Array.isArray(value)) return { value, omittedPaths: [] }
  return {
    value: value.filter(isImportable).map(removeNulls),
    omittedPaths: value.flatMap((item, index) =>
      isImportable(item) ? [] : [`${path}[${index}]${describeItem(item)}`],
    ),
  }
}

function describeItem(item: unknown): string {
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

function importTools(
  path: string,
  value: unknown,
): { readonly value: unknown; readonly omittedPaths: readonly string[] } {
  return importItems(path, value, isImportableTool)
}

/** Whether a tool has a known type and does not reference a Retell agent. */
function isImportableTool(tool: unknown): boolean {
  if (!isObject(tool) || typeof tool.type !== 'string' || !Object.hasOwn(TOOL_TYPES, tool.type)) return false
  const { transfer_option: option } = tool
  return tool.type !== 'agent_swap' && !(isObject(option) && option.type === 'agentic_warm_transfer')
}

const importStates: FieldImport = (value) => {
  if (!Array.isArray(value)) return { value }
  const states = value.map((state, index) => {
    if (!isObject(state) || state.tools === undefined) return { value: removeNulls(state), omittedPaths: [] }
    const tools = importTools(`states[${index}].tools`, state.tools)
    return { value: removeNulls({ ...state, tools: tools.value }), omittedPaths: tools.omittedPaths }
  })
  return {
    value: states.map((importedState) => importedState.value),
    omittedPaths: states.flatMap(({ omittedPaths }) => omittedPaths),
  }
}

const importNodes: FieldImport = (value) => {
  if (!Array.isArray(value)) return { value }
  const hasKnowledgeBases = (node: unknown): boolean => isObject(node) && !isBlank(node.knowledge_base_ids)
  return {
    value: value.map((node) => removeNulls(isObject(node) ? { ...node, knowledge_base_ids: null } : node)),
    omittedPaths: value.flatMap((node, index) =>
      hasKnowledgeBases(node) ? [`nodes[${index}].knowledge_base_ids`] : [],
    ),
  }
}
