import type { ConversationFlow, UpdateConversationFlowBody } from '@parley/contract/conversation-flow'
import type { FlowSwitches } from '@parley/contract/flow-switches'
import type { RequestParts } from '../../lib/api/request.ts'
import { isJsonEqual } from '../../lib/editing/draft-state.ts'
import { message, useText } from '../../lib/language.ts'
import { parseTree } from './json-tree.ts'

/** The writable fields of a flow as JSON. Not validated while editing. */
export type FlowDocument = Readonly<Record<string, unknown>>

/** Request fields that control the update. */
type ControlField = 'workspaceId' | 'version' | 'removeNodeIds' | 'replaceNodes'
export type FlowField = Exclude<keyof UpdateConversationFlowBody, ControlField | keyof FlowSwitches>

/** Writable fields and their labels, in JSON order. */
const FIELD_LABELS = {
  display_name: message('Name'),
  start_speaker: message('Speaks first'),
  begin_after_user_silence_ms: message('Speak after silence'),
  model_choice: message('Model'),
  model_temperature: message('Temperature'),
  global_prompt: message('Global instructions'),
  default_dynamic_variables: message('Default variables'),
  knowledge_base_ids: message('Knowledge bases'),
  kb_config: message('Knowledge search'),
  max_hops_per_turn: message('Max steps per turn'),
  start_node_id: message('Start node'),
  nodes: message('Nodes'),
  tools: message('Tools'),
  mcps: message('MCP servers'),
  components: message('Components'),
  notes: message('Notes'),
  begin_tag_display_position: message('Start marker position'),
} satisfies Readonly<Record<FlowField, string>>
const FLOW_FIELDS = Object.keys(FIELD_LABELS) as readonly FlowField[]

const CONTROL_FIELDS: readonly string[] = [
  'workspaceId',
  'version',
  'removeNodeIds',
  'replaceNodes',
] satisfies readonly ControlField[]

export function useFieldLabel(): (field: string) => string {
  const t = useText()
  return (field) => (field in FIELD_LABELS ? t(FIELD_LABELS[field as FlowField]) : field)
}

export function toDocument(flow: ConversationFlow): Pick<ConversationFlow, FlowField> {
  return Object.fromEntries(FLOW_FIELDS.map((field) => [field, flow[field]])) as Pick<ConversationFlow, FlowField>
}

/** Formats a document for editing: known fields in order, then all others. */
export function formatDocument(document: FlowDocument): string {
  const names = Object.keys(document)
  const knownNames = FLOW_FIELDS.filter((field) => names.includes(field))
  const otherNames = names.filter((name) => !(name in FIELD_LABELS))
  const sorted = Object.fromEntries([...knownNames, ...otherNames].map((name) => [name, document[name]]))
  return `${JSON.stringify(sorted, null, 2)}\n`
}

/** A parsed document, or the position of the first syntax error. */
export type ParsedDocument = { readonly document: FlowDocument } | { readonly errorOffset: number }

export function parseDocument(text: string): ParsedDocument {
  const parsed = parseTree(text)
  if ('errorOffset' in parsed) return parsed
  if (parsed.tree.kind !== 'object') return { errorOffset: parsed.tree.from }
  return { document: JSON.parse(text) as FlowDocument }
}

type NewFlow = Omit<RequestParts<'createConversationFlow'>['body'], 'workspaceId'>
type FlowChanges = Omit<RequestParts<'updateConversationFlow'>['body'], 'workspaceId'>

/** Builds the request body for a new flow. The server validates it. */
export function toFlowBody(document: FlowDocument): NewFlow {
  return removeControlFields(document) as object as NewFlow
}

function removeControlFields(document: FlowDocument): FlowDocument {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !CONTROL_FIELDS.includes(name)))
}

export function findChangedFields(before: FlowDocument, after: FlowDocument): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isJsonEqual(before[name], after[name]))
}

/** Builds the PATCH body for the edited fields. Removed fields return to their defaults; removed nodes are deleted. */
export function buildChanges(before: FlowDocument, after: FlowDocument): FlowChanges {
  const [base, edited] = [removeControlFields(before), removeControlFields(after)]
  const changes: FlowDocument = Object.fromEntries(
    findChangedFields(base, edited).map((name) => [name, edited[name] ?? null]),
  )
  if (!('nodes' in changes)) return changes
  return { ...changes, nodes: changes['nodes'] ?? [], replaceNodes: true } as object as FlowChanges
}

/** Applies one user's edits on top of another user's edits. If both changed a field, the first user's edit takes precedence. */
export function mergeEdits(before: FlowDocument, mine: FlowDocument, theirs: FlowDocument): FlowDocument {
  const merged = { ...theirs }
  for (const name of findChangedFields(before, mine)) {
    if (name in mine) merged[name] = mine[name]
    else delete merged[name]
  }
  return merged
}

/** Lists the paths of sent fields that the server did not store because it does not recognize them. */
export function findUnstoredPaths(sent: unknown, stored: unknown, path = ''): string[] {
  if (Array.isArray(sent) && Array.isArray(stored)) {
    return sent.flatMap((item, index) => findUnstoredPaths(item, stored[index], `${path}[${index}]`))
  }
  if (!isRecord(sent) || !isRecord(stored)) return []
  const storedByName = new Map(Object.entries(stored).map(([name, value]) => [normalizeName(name), value]))
  return Object.entries(sent).flatMap(([name, value]) => {
    const fieldPath = path === '' ? name : `${path}.${name}`
    if (value === null) return []
    return storedByName.has(normalizeName(name))
      ? findUnstoredPaths(value, storedByName.get(normalizeName(name)), fieldPath)
      : [fieldPath]
  })
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const normalizeName = (name: string): string => name.replace(/[_-]/g, '').toLowerCase()
