import type { ConversationFlow, UpdateConversationFlowBody } from '@parley/contract/conversation-flow'
import type { FlowSwitches } from '@parley/contract/flow-switches'
import type { RequestParams } from '../../lib/api/request.ts'
import { isJsonEqual } from '../../lib/editing/draft-state.ts'
import { message, useText } from '../../lib/language.ts'
import { parseTree } from './json-tree.ts'

/** The writable fields of a flow as JSON. Can be invalid while the user edits it. */
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

/** Formats a document for editing, with the known fields first. */
export function formatDocument(document: FlowDocument): string {
  const names = Object.keys(document)
  const knownNames = FLOW_FIELDS.filter((field) => names.includes(field))
  const otherNames = names.filter((name) => !(name in FIELD_LABELS))
  const sortedDocument = Object.fromEntries([...knownNames, ...otherNames].map((name) => [name, document[name]]))
  return `${JSON.stringify(sortedDocument, null, 2)}\n`
}

/** A parsed document, or the position of the first syntax error. */
export type ParsedDocument = { readonly document: FlowDocument } | { readonly errorOffset: number }

export function parseDocument(text: string): ParsedDocument {
  const parsed = parseTree(text)
  if ('errorOffset' in parsed) return parsed
  if (parsed.tree.kind !== 'object') return { errorOffset: parsed.tree.from }
  return { document: JSON.parse(text) as FlowDocument }
}

type CreateFlowBody = Omit<RequestParams<'createConversationFlow'>['body'], 'workspaceId'>
type UpdateFlowBody = Omit<RequestParams<'updateConversationFlow'>['body'], 'workspaceId'>

/** Builds the request body for a new flow. The server validates it. */
export function toFlowBody(document: FlowDocument): CreateFlowBody {
  return removeControlFields(document) as object as CreateFlowBody
}

function removeControlFields(document: FlowDocument): FlowDocument {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !CONTROL_FIELDS.includes(name)))
}

export function findChangedFields(original: FlowDocument, updated: FlowDocument): string[] {
  const names = new Set([...Object.keys(original), ...Object.keys(updated)])
  return [...names].filter((name) => !isJsonEqual(original[name], updated[name]))
}

/** Builds the PATCH body for the edited fields. Removed fields are reset to their defaults, and removed nodes are deleted. */
export function buildUpdateBody(original: FlowDocument, updated: FlowDocument): UpdateFlowBody {
  const [baseDocument, editedDocument] = [removeControlFields(original), removeControlFields(updated)]
  const changes: FlowDocument = Object.fromEntries(
    findChangedFields(baseDocument, editedDocument).map((name) => [name, editedDocument[name] ?? null]),
  )
  if (!('nodes' in changes)) return changes
  return { ...changes, nodes: changes['nodes'] ?? [], replaceNodes: true } as object as UpdateFlowBody
}

/** Applies `mine` on top of `theirs`. If both changed a field, `mine` takes precedence. */
export function mergeEdits(original: FlowDocument, mine: FlowDocument, theirs: FlowDocument): FlowDocument {
  const mergedDocument = { ...theirs }
  for (const name of findChangedFields(original, mine)) {
    if (name in mine) mergedDocument[name] = mine[name]
    else delete mergedDocument[name]
  }
  return mergedDocument
}

/** Lists the paths of sent fields that the server did not recognize and store. */
export function findUnstoredPaths(sentValue: unknown, storedValue: unknown, path = ''): string[] {
  if (Array.isArray(sentValue) && Array.isArray(storedValue)) {
    return sentValue.flatMap((item, index) => findUnstoredPaths(item, storedValue[index], `${path}[${index}]`))
  }
  if (!isRecord(sentValue) || !isRecord(storedValue)) return []
  const storedByName = new Map(Object.entries(storedValue).map(([name, value]) => [normalizeName(name), value]))
  return Object.entries(sentValue).flatMap(([name, value]) => {
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
