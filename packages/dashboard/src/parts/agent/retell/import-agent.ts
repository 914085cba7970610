import type { FlowSwitches } from '@parley/contract/flow-switches'
import type { Llm } from '@parley/contract/llm'
import type { EngineType } from '@parley/contract/response-engine'
import type { Tool } from '@parley/contract/tools'
import type { AgentFile, AgentFileResult, AgentKind, AnyAgent, NewAgent } from '../agent-api.ts'
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

/** Reads a Retell export. Lists the omitted settings, such as references to other Retell records. */
export function readRetellAgent<Value extends AnyAgent>(kind: AgentKind, content: JsonObject): AgentFileResult<Value> {
  const engineImport = importEngine(content)
  if ('error' in engineImport) return { file: null, error: engineImport.error }
  if (detectAgentKind(content) !== kind) return { file: null, error: 'wrong-kind' }
  const { fields, omittedPaths } = importAgent(kind, content)
  const { engine, llm, flow } = engineImport
  const agent = { ...fields, response_engine: engine } as NewAgent<Value>
  return { file: { agent, llm, flow, omittedPaths: [...omittedPaths, ...engineImport.omittedPaths] }, error: null }
}

type EngineImport = Pick<AgentFile<AnyAgent>, 'llm' | 'flow' | 'omittedPaths'> & {
  readonly engine: NewAgent<AnyAgent>['response_engine']
}

/** Reads the LLM configuration or flow that Retell dashboard exports contain. */
function importEngine(
  content: JsonObject,
): EngineImport | { readonly error: 'no-engine' | 'no-vendor-llm' | 'no-vendor-flow' } {
  const { response_engine: engine, retellLlmData: llmData, conversationFlow: flowData, responsiveness } = content
  const type = getEngineType(engine)
  if (type === undefined || !isObject(engine)) return { error: 'no-engine' }
  const emptyEngine = createEmptyEngine(toEngineKind(type))
  if (type === 'retell-llm') {
    if (!isObject(llmData)) return { error: 'no-vendor-llm' }
    const { fields, omittedPaths } = importLlm(llmData, { name: toStringOrEmpty(content.agent_name), responsiveness })
    return { engine: emptyEngine, llm: fields, flow: null, omittedPaths: prefixPaths('retellLlmData', omittedPaths) }
  }
  // In Parley, `responsiveness` belongs to the LLM configuration.
  const responsivenessPaths = typeof responsiveness === 'number' ? ['responsiveness'] : []
  if (type === 'conversation-flow') {
    if (!isObject(flowData)) return { error: 'no-vendor-flow' }
    const { fields, omittedPaths } = importFlow(flowData, toStringOrEmpty(content.agent_name))
    return {
      engine: emptyEngine,
      llm: null,
      flow: fields,
      omittedPaths: [...responsivenessPaths, ...prefixPaths('conversationFlow', omittedPaths)],
    }
  }
  const customEngine = { ...emptyEngine, llm_websocket_url: toStringOrEmpty(engine.llm_websocket_url) }
  return { engine: customEngine, llm: null, flow: null, omittedPaths: responsivenessPaths }
}

/** Detects the agent kind from the channel, or from the voice if the export has no channel. */
function detectAgentKind({ channel, voice_id: voiceId }: JsonObject): AgentKind {
  if (channel === 'voice' || channel === 'chat') return channel === 'voice' ? 'agent' : 'chat-agent'
  return voiceId === undefined ? 'chat-agent' : 'agent'
}

const toStringOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

const prefixPaths = (prefix: string, paths: readonly string[]): string[] => paths.map((path) => `${prefix}.${path}`)

/** Imported fields, plus the paths of omitted fields. */
interface ImportResult<Fields> {
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
type FieldImporter = (
  value: unknown,
) => { readonly value: unknown; readonly omittedPaths?: readonly string[] } | 'omitted'
type FieldImporters = Readonly<Record<string, FieldImporter>>

const omitField: FieldImporter = () => 'omitted'

/** Imports supported fields. Skips null values, because null means the default on both platforms. */
function importFields(
  source: JsonObject,
  supportedNames: readonly string[],
  importers: FieldImporters,
): ImportResult<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  const omittedPaths: string[] = []
  for (const [name, value] of Object.entries(source)) {
    if (value === null || METADATA_FIELDS.has(name)) continue
    const importedField = supportedNames.includes(name)
      ? (importers[name]?.(value) ?? { value: removeNulls(value) })
      : 'omitted'
    if (importedField !== 'omitted') {
      if (importedField.value !== undefined) fields[name] = importedField.value
      omittedPaths.push(...(importedField.omittedPaths ?? []))
    } else if (!isBlank(value)) omittedPaths.push(name)
  }
  return { fields, omittedPaths }
}

/** Fields that `importEngine` imports. */
const HANDLED_FIELDS = ['response_engine', 'retellLlmData', 'conversationFlow', 'responsiveness'] as const

/** Imports agent settings. Omits the voices, because Retell voices do not exist in Parley. */
function importAgent(kind: AgentKind, source: JsonObject): ImportResult<JsonObject> {
  const isEvent = kind === 'agent' ? isVoiceEvent : isChatEvent
  const importers: FieldImporters = {
    voice_id: omitField,
    voice_model: omitField,
    fallback_voice_ids: omitField,
    interruption_sensitivity: (value) => ({
      value: value === 0 ? 'none' : typeof value === 'number' ? String(value) : value,
    }),
    language: importLanguage,
    // An empty list would disable the removal of personal data.
    pii_config: (value) => ({ value: isObject(value) && isBlank(value.categories) ? undefined : value }),
    webhook_events: (value) => importItems('webhook_events', value, (event) => isEvent(event)),
  }
  const remainingSettings = Object.fromEntries(
    Object.entries(source).filter(([name]) => !(HANDLED_FIELDS as readonly string[]).includes(name)),
  )
  return importFields(remainingSettings, AGENT_FIELDS[kind], importers)
}

/** Imports LLM configuration settings. Retell stores `name` and `responsiveness` with the agent. */
function importLlm(
  source: JsonObject,
  { name, responsiveness }: { readonly name: string; readonly responsiveness: unknown },
): ImportResult<Partial<Llm>> {
  const { start_speaker: startSpeaker, ...rest } = source
  const importers: FieldImporters = {
    knowledge_base_ids: omitReferences,
    general_tools: (value) => importTools('general_tools', value),
    states: importStates,
  }
  const { fields, omittedPaths } = importFields(rest, LLM_FIELDS, importers)
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
function importFlow(source: JsonObject, name: string): ImportResult<FlowFields> {
  const importers: FieldImporters = { knowledge_base_ids: omitReferences, nodes: importNodes }
  const { fields, omittedPaths } = importFields(source, Object.keys(RETELL_FLOW_FIELDS), importers)
  // The server validates the content.
  return { fields: { ...(fields as FlowFields), display_name: name }, omittedPaths }
}

/** Omits references to Retell records. */
const omitReferences: FieldImporter = (value) => (isBlank(value) ? { value: undefined } : 'omitted')

const importLanguage: FieldImporter = (value) => {
  if (typeof value === 'string') return value === 'multi' ? 'omitted' : { value }
  if (!Array.isArray(value)) return { value }
  const [firstLanguage, ...otherLanguages] = value
  return { value: firstLanguage, omittedPaths: otherLanguages.map((_language, index) => `language[${index + 1}]`) }
}

/** Imports the supported items of a list. Keeps any other value, so that the server rejects it. */
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
  const { transfer_option: transferOption } = tool
  return tool.type !== 'agent_swap' && !(isObject(transferOption) && transferOption.type === 'agentic_warm_transfer')
}

const importStates: FieldImporter = (value) => {
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

const importNodes: FieldImporter = (value) => {
  if (!Array.isArray(value)) return { value }
  const hasKnowledgeBases = (node: unknown): boolean => isObject(node) && !isBlank(node.knowledge_base_ids)
  return {
    value: value.map((node) => removeNulls(isObject(node) ? { ...node, knowledge_base_ids: null } : node)),
    omittedPaths: value.flatMap((node, index) =>
      hasKnowledgeBases(node) ? [`nodes[${index}].knowledge_base_ids`] : [],
    ),
  }
}
