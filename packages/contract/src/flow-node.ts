import { z } from 'zod'
import { type FixedFlowEdge, FlowPartId } from './flow-edge.ts'
import { commonNodeFields, nodeFields } from './flow-node-fields.ts'
import { defineDescribedObject } from './named-object.ts'

/**
 * Nodes of conversation flows. Only `id` and `type` are required; warnings report missing settings. Omitted fields stay absent.
 */

/** Maximum number of nodes in a flow or component. */
export const FLOW_NODE_LIMIT = 500

/** Selects the fields of a node type. */
const pickNodeFields = <const Name extends keyof typeof nodeFields>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, nodeFields[name]])) as Pick<typeof nodeFields, Name>

const NodeId = FlowPartId.describe('Custom ID, unique within the flow.')
const base = { id: NodeId, ...commonNodeFields }

const speech = pickNodeFields(
  'else_edge',
  'always_edge',
  'skip_response_edge',
  'interruption_sensitivity',
  'responsiveness',
  'voice_speed',
  'stt_mode',
  'custom_stt_config',
  'allow_dtmf_interruption',
  'reminder_trigger_ms',
  'reminder_max_count',
  'knowledge_base_ids',
  'kb_config',
  'reword_on_revisit',
  'finetune_conversation_examples',
  'finetune_transition_examples',
)

const ConversationNode = defineDescribedObject('ConversationNode', 'Talks with the user until an edge is taken.', {
  type: z.literal('conversation'),
  ...base,
  ...speech,
})

const SubagentNode = defineDescribedObject('SubagentNode', 'Talks with the user and can use tools.', {
  type: z.literal('subagent'),
  ...base,
  ...speech,
  ...pickNodeFields('tools', 'tool_ids'),
})

const FunctionNode = defineDescribedObject('FunctionNode', 'Runs a tool of the flow.', {
  type: z.literal('function'),
  ...base,
  ...pickNodeFields('tool_id', 'tool_type', 'wait_for_result', 'speak_during_execution', 'enable_typing_sound'),
  ...pickNodeFields('else_edge', 'failed_edge', 'finetune_transition_examples'),
})

const CodeNode = defineDescribedObject('CodeNode', 'Runs JavaScript in a sandbox.', {
  type: z.literal('code'),
  ...base,
  ...pickNodeFields('code', 'wait_for_result', 'response_variables', 'timeout_ms', 'else_edge', 'failed_edge'),
  ...pickNodeFields('speak_during_execution', 'enable_typing_sound'),
})

const TransferCallNode = defineDescribedObject(
  'TransferCallNode',
  'Transfers the call. The conversation continues only if the transfer fails.',
  {
    type: z.literal('transfer_call'),
    ...base,
    ...pickNodeFields('transfer_destination', 'transfer_option', 'custom_sip_headers', 'ignore_e164_validation'),
    ...pickNodeFields('speak_during_execution', 'edge'),
  },
)

const AgentSwapNode = defineDescribedObject(
  'AgentSwapNode',
  'Swaps to another agent. The conversation continues only if the swap fails.',
  {
    type: z.literal('agent_swap'),
    ...base,
    ...pickNodeFields('agent_id', 'agent_version', 'post_call_analysis_setting', 'webhook_setting'),
    ...pickNodeFields('keep_current_voice', 'keep_current_language', 'speak_during_execution', 'edge'),
  },
)

const PressDigitNode = defineDescribedObject('PressDigitNode', 'Presses keys, for example in a phone menu.', {
  type: z.literal('press_digit'),
  ...base,
  ...pickNodeFields('delay_ms', 'else_edge'),
})

const BranchNode = defineDescribedObject(
  'BranchNode',
  'Takes an edge immediately without speaking. Requires an `else_edge`.',
  { type: z.literal('branch'), ...base, ...pickNodeFields('else_edge') },
)

const SmsNode = defineDescribedObject('SmsNode', 'Sends the instruction as a text message.', {
  type: z.literal('sms'),
  ...base,
  ...pickNodeFields('success_edge', 'failed_edge'),
})

const ExtractDynamicVariablesNode = defineDescribedObject(
  'ExtractDynamicVariablesNode',
  'Extracts values from the conversation into dynamic variables.',
  { type: z.literal('extract_dynamic_variables'), ...base, ...pickNodeFields('variables', 'else_edge') },
)

const McpNode = defineDescribedObject('McpNode', 'Calls a tool of an MCP server.', {
  type: z.literal('mcp'),
  ...base,
  ...pickNodeFields('mcp_id', 'mcp_tool_name', 'wait_for_result', 'response_variables', 'else_edge', 'failed_edge'),
  ...pickNodeFields('speak_during_execution', 'enable_typing_sound'),
})

const ComponentNode = defineDescribedObject('ComponentNode', 'Runs a component and then continues.', {
  type: z.literal('component'),
  ...base,
  ...pickNodeFields('component_id', 'component_type', 'else_edge'),
})

const EndNode = defineDescribedObject('EndNode', 'Ends the conversation.', {
  type: z.literal('end'),
  ...base,
  ...pickNodeFields('speak_during_execution'),
})

const BridgeTransferNode = defineDescribedObject(
  'BridgeTransferNode',
  'Connects both parties. Only for transfer agents.',
  { type: z.literal('bridge_transfer'), ...base, ...pickNodeFields('speak_during_execution') },
)

const CancelTransferNode = defineDescribedObject(
  'CancelTransferNode',
  'Returns the caller to the first agent. Only for transfer agents.',
  { type: z.literal('cancel_transfer'), ...base, ...pickNodeFields('speak_during_execution') },
)

/** A node of any type, discriminated by `type`. */
export const FlowNode = z
  .discriminatedUnion('type', [
    ConversationNode,
    SubagentNode,
    FunctionNode,
    CodeNode,
    TransferCallNode,
    AgentSwapNode,
    PressDigitNode,
    BranchNode,
    SmsNode,
    ExtractDynamicVariablesNode,
    McpNode,
    ComponentNode,
    EndNode,
    BridgeTransferNode,
    CancelTransferNode,
  ])
  .meta({ id: 'FlowNode' })
export type FlowNode = z.output<typeof FlowNode>
export type FlowNodeType = FlowNode['type']

const NODE_KEYS = new Map(
  FlowNode.options.map((option) => [option.shape.type.value, new Set(Object.keys(option.shape))] as const),
)

/** Whether nodes of the type have a field with this name. */
export function nodeHasField(type: FlowNodeType, name: string): boolean {
  return NODE_KEYS.get(type)?.has(name) === true
}

/** A node of any type, with the optional fields of all types. */
export type AnyFlowNode = { readonly id: string; readonly type: FlowNodeType } & Readonly<
  z.output<z.ZodObject<typeof commonNodeFields & typeof nodeFields>>
>

type Clearable<Shape extends Readonly<Record<string, z.ZodOptional>>> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodOptional<infer Inner> ? z.ZodOptional<z.ZodNullable<Inner>> : never
}

const makeClearable = <Shape extends Readonly<Record<string, z.ZodOptional>>>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const clearableSchema = (schema.unwrap() as z.ZodType).nullable().optional()
      const { description } = schema
      return [name, description === undefined ? clearableSchema : clearableSchema.meta({ description })]
    }),
  ) as unknown as Clearable<Shape>

/** Changes to a node. Omitted fields do not change, and `null` removes a field. New nodes require a type. */
export const FlowNodePatch = defineDescribedObject(
  'FlowNodePatch',
  'Fields of a node to change. New nodes require `type`; null removes a field.',
  {
    id: NodeId,
    type: z.enum([...NODE_KEYS.keys()]).optional(),
    ...makeClearable(commonNodeFields),
    ...makeClearable(nodeFields),
  },
)
export type FlowNodePatch = z.output<typeof FlowNodePatch>

/** Fields that contain a single edge. The field name determines when the edge is taken. */
export const EDGE_FIELDS = [
  'else_edge',
  'always_edge',
  'skip_response_edge',
  'success_edge',
  'failed_edge',
  'edge',
] as const

/** Returns all outgoing edges of a node with their paths. */
export function listEdges(node: AnyFlowNode): readonly { readonly path: string; readonly edge: FixedFlowEdge }[] {
  const listedEdges = (node.edges ?? []).map((edge, index) => ({ path: `edges[${index}]`, edge }))
  const fixedEdges = EDGE_FIELDS.flatMap((field) => {
    const edge = node[field]
    return edge === undefined ? [] : [{ path: field as string, edge }]
  })
  return [...listedEdges, ...fixedEdges]
}

/** Returns the fallback edge of a branch: its `else_edge`, or the listed edge with the prompt "Else". */
export function findElseEdge(node: AnyFlowNode): FixedFlowEdge | undefined {
  return (
    node.else_edge ??
    node.edges?.find(({ transition_condition: { type, prompt } }) => {
      return type === 'prompt' && /^\s*else\s*$/i.test(prompt)
    })
  )
}
