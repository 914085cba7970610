import type { ConversationFlow, UpdateConversationFlowBody } from '@parley/contract/conversation-flow'
import type { FlowSwitches } from '@parley/contract/flow-switches'
import type { Parts } from '../../lib/api/request.ts'
import { isSame } from '../../lib/editing/draft-state.ts'
import { readTree } from './json-tree.ts'

/** A flow as people edit it: what can be written of it, as JSON. Anything may be in it while it is being typed. */
export type FlowDocument = Readonly<Record<string, unknown>>

/** Fields of the body that say how it is meant, not what the flow is. */
type Manner = 'workspaceId' | 'version' | 'removeNodeIds' | 'replaceNodes'
/** The switches of other platforms are not kept. */
export type FlowField = Exclude<keyof UpdateConversationFlowBody, Manner | keyof FlowSwitches>

/** Every field of a flow that can be written, in the order of the text: how it begins, what holds everywhere, the graph. */
const FIELDS = {
  display_name: true,
  start_speaker: true,
  begin_after_user_silence_ms: true,
  model_choice: true,
  model_temperature: true,
  global_prompt: true,
  default_dynamic_variables: true,
  knowledge_base_ids: true,
  kb_config: true,
  max_hops_per_turn: true,
  start_node_id: true,
  nodes: true,
  tools: true,
  mcps: true,
  components: true,
  notes: true,
  begin_tag_display_position: true,
} satisfies Readonly<Record<FlowField, true>>
const FLOW_FIELDS = Object.keys(FIELDS) as readonly FlowField[]

const MANNER: readonly string[] = [
  'workspaceId',
  'version',
  'removeNodeIds',
  'replaceNodes',
] satisfies readonly Manner[]

/** What people call a flow; its id when it has no name. */
export function nameOfFlow({
  display_name: name,
  conversation_flow_id: id,
}: Pick<ConversationFlow, 'display_name' | 'conversation_flow_id'>): string {
  return name.trim() === '' ? id : name
}

/** The part of a stored flow that can be written. */
export function documentOf(flow: ConversationFlow): Pick<ConversationFlow, FlowField> {
  return Object.fromEntries(FLOW_FIELDS.map((field) => [field, flow[field]])) as Pick<ConversationFlow, FlowField>
}

/** The text that people edit: known fields in their order, then what else there is. */
export function printDocument(document: FlowDocument): string {
  const names = Object.keys(document)
  const known = FLOW_FIELDS.filter((field) => names.includes(field))
  const others = names.filter((name) => !(name in FIELDS))
  const sorted = Object.fromEntries([...known, ...others].map((name) => [name, document[name]]))
  return `${JSON.stringify(sorted, null, 2)}\n`
}

/** What a text says, or where it stops being a flow's JSON. */
export type ReadDocument = { readonly document: FlowDocument } | { readonly faultAt: number }

export function readDocument(text: string): ReadDocument {
  const read = readTree(text)
  if ('faultAt' in read) return read
  if (read.tree.kind !== 'object') return { faultAt: read.tree.from }
  return { document: JSON.parse(text) as FlowDocument }
}

type NewFlow = Omit<Parts<'createConversationFlow'>['body'], 'workspaceId'>
type FlowChanges = Omit<Parts<'updateConversationFlow'>['body'], 'workspaceId'>

/**
 * The document as the body of a new flow: what people cannot mean to write is left out. What was typed is taken for such a body
 * here; whether it is one, the server tells.
 */
export function bodyOf(document: FlowDocument): NewFlow {
  return withoutManner(document) as object as NewFlow
}

function withoutManner(document: FlowDocument): FlowDocument {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !MANNER.includes(name)))
}

/** Fields that two documents hold differently. */
export function changedNames(before: FlowDocument, after: FlowDocument): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isSame(before[name], after[name]))
}

/**
 * The body of a PATCH that makes one document of the other: what was edited, and nothing else. A field that was taken out of
 * the text goes back to its default; nodes that were taken out go.
 */
export function changesBetween(before: FlowDocument, after: FlowDocument): FlowChanges {
  const [from, to] = [withoutManner(before), withoutManner(after)]
  const changes: FlowDocument = Object.fromEntries(changedNames(from, to).map((name) => [name, to[name] ?? null]))
  if (!('nodes' in changes)) return changes
  return { ...changes, nodes: changes['nodes'] ?? [], replaceNodes: true } as object as FlowChanges
}

/** The edits of one person on top of what another has saved: fields that both have changed become those of the first. */
export function mergeOnTop(before: FlowDocument, mine: FlowDocument, theirs: FlowDocument): FlowDocument {
  const merged = { ...theirs }
  for (const name of changedNames(before, mine)) {
    if (name in mine) merged[name] = mine[name]
    else delete merged[name]
  }
  return merged
}

/** Paths of what was sent and is not in what was stored: the server did not know these fields. Other spellings are the same. */
export function droppedPaths(sent: unknown, stored: unknown, path = ''): string[] {
  if (Array.isArray(sent) && Array.isArray(stored)) {
    return sent.flatMap((item, index) => droppedPaths(item, stored[index], `${path}[${index}]`))
  }
  if (!isRecord(sent) || !isRecord(stored)) return []
  const known = new Map(Object.entries(stored).map(([name, value]) => [collapse(name), value]))
  return Object.entries(sent).flatMap(([name, value]) => {
    const place = path === '' ? name : `${path}.${name}`
    if (value === null) return []
    return known.has(collapse(name)) ? droppedPaths(value, known.get(collapse(name)), place) : [place]
  })
}

/** Whether something is an object with fields, and no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const collapse = (name: string): string => name.replace(/[_-]/g, '').toLowerCase()
