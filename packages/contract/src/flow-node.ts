import { z } from 'zod'
import { type FixedFlowEdge, FlowPartId } from './flow-edge.ts'
import { commonNodeFields, nodeFields } from './flow-node-fields.ts'
import { describedObject } from './named-object.ts'

/**
 * Nodes of conversation flows. Only `id` and `type` are required; warnings name what a node lacks. Fields that were
 * not given stay absent.
 */

/** Maximum number of nodes in a flow or component. */
export const FLOW_NODE_LIMIT = 500

/** Picks the fields of a node type. */
const pick = <const Name extends keyof typeof nodeFields>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, nodeFields[name]])) as Pick<typeof nodeFields, Name>

const NodeId = FlowPartId.describe('ID of your choice, unique within the flow.')
const base = { id: NodeId, ...commonNodeFields }

const speech = pick(
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

const ConversationNode = describedObject('ConversationNode', 'Talks with the user until an edge is taken.', {
  type: z.literal('conversation'),
  ...base,
  ...speech,
})

const SubagentNode = describedObject('SubagentNode', 'Talks with the user and can use tools.', {
  type: z.literal('subagent'),
  ...base,
  ...speech,
  ...pick('tools', 'tool_ids'),
})

const FunctionNode = describedObject('FunctionNode', 'Runs a tool of the flow.', {
  type: z.literal('function'),
  ...base,
  ...pick('tool_id', 'tool_type', 'wait_for_result', 'speak_during_execution', 'enable_typing_sound'),
  ...pick('else_edge', 'failed_edge', 'finetune_transition_examples'),
})

const CodeNode = describedObject('CodeNode', 'Runs JavaScript in a sandbox.', {
  type: z.literal('code'),
  ...base,
  ...pick('code', 'wait_for_result', 'response_variables', 'timeout_ms', 'else_edge', 'failed_edge'),
  ...pick('speak_during_execution', 'enable_typing_sound'),
})

const TransferCallNode = describedObject(
  'TransferCallNode',
  'Transfers the call. The conversation continues only if the transfer fails.',
  {
    type: z.literal('transfer_call'),
    ...base,
    ...pick('transfer_destination', 'transfer_option', 'custom_sip_headers', 'ignore_e164_validation'),
    ...pick('speak_during_execution', 'edge'),
  },
)

const AgentSwapNode = describedObject(
  'AgentSwapNode',
  'Swaps to another agent. The conversation continues only if the swap fails.',
  {
    type: z.literal('agent_swap'),
    ...base,
    ...pick('agent_id', 'agent_version', 'post_call_analysis_setting', 'webhook_setting'),
    ...pick('keep_current_voice', 'keep_current_language', 'speak_during_execution', 'edge'),
  },
)

const PressDigitNode = describedObject('PressDigitNode', 'Presses keys, for example in a phone menu.', {
  type: z.literal('press_digit'),
  ...base,
  ...pick('delay_ms', 'else_edge'),
})

const BranchNode = describedObject(
  'BranchNode',
  'Takes an edge immediately without speaking. Requires an `else_edge`.',
  { type: z.literal('branch'), ...base, ...pick('else_edge') },
)

const SmsNode = describedObject('SmsNode', 'Sends the instruction as a text message.', {
  type: z.literal('sms'),
  ...base,
  ...pick('success_edge', 'failed_edge'),
})

const ExtractDynamicVariablesNode = describedObject(
  'ExtractDynamicVariablesNode',
  'Extracts values from the conversation into dynamic variables.',
  { type: z.literal('extract_dynamic_variables'), ...base, ...pick('variables', 'else_edge') },
)

const McpNode = describedObject('McpNode', 'Calls a tool of an MCP server.', {
  type: z.literal('mcp'),
  ...base,
  ...pick('mcp_id', 'mcp_tool_name', 'wait_for_result', 'response_variables', 'else_edge', 'failed_edge'),
  ...pick('speak_during_execution', 'enable_typing_sound'),
})

const ComponentNode = describedObject('ComponentNode', 'Runs a component and then continues.', {
  type: z.literal('component'),
  ...base,
  ...pick('component_id', 'component_type', 'else_edge'),
})

const EndNode = describedObject('EndNode', 'Ends the conversation.', {
  type: z.literal('end'),
  ...base,
  ...pick('speak_during_execution'),
})

const BridgeTransferNode = describedObject('BridgeTransferNode', 'Connects both parties; for transfer agents.', {
  type: z.literal('bridge_transfer'),
  ...base,
  ...pick('speak_during_execution'),
})

const CancelTransferNode = describedObject(
  'CancelTransferNode',
  'Returns the caller to the first agent; for transfer agents.',
  { type: z.literal('cancel_transfer'), ...base, ...pick('speak_during_execution') },
)

/** Any node, discriminated by `type`. */
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

const clearAll = <Shape extends Readonly<Record<string, z.ZodOptional>>>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const cleared = (schema.unwrap() as z.ZodType).nullable().optional()
      const { description } = schema
      return [name, description === undefined ? cleared : cleared.meta({ description })]
    }),
  ) as unknown as Clearable<Shape>

/** Changes to a node: omitted fields are unchanged, and `null` removes a field. New nodes need a type. */
export const FlowNodePatch = describedObject(
  'FlowNodePatch',
  'Fields of a node to change. New nodes require `type`; null removes a field.',
  {
    id: NodeId,
    type: z.enum([...NODE_KEYS.keys()]).optional(),
    ...clearAll(commonNodeFields),
    ...clearAll(nodeFields),
  },
)
export type FlowNodePatch = z.output<typeof FlowNodePatch>

/** Fields that contain a single edge, whose name determines when it is taken. */
export const EDGE_FIELDS = [
  'else_edge',
  'always_edge',
  'skip_response_edge',
  'success_edge',
  'failed_edge',
  'edge',
] as const

/** All outgoing edges of a node with their paths. */
export function edgesOf(node: AnyFlowNode): readonly { readonly path: string; readonly edge: FixedFlowEdge }[] {
  const listedEdges = (node.edges ?? []).map((edge, index) => ({ path: `edges[${index}]`, edge }))
  const fixedEdges = EDGE_FIELDS.flatMap((field) => {
    const edge = node[field]
    return edge === undefined ? [] : [{ path: field as string, edge }]
  })
  return [...listedEdges, ...fixedEdges]
}

/** The fallback edge of a branch: its `else_edge`, or the listed edge with the prompt "Else". */
export function elseEdgeOf(node: AnyFlowNode): FixedFlowEdge | undefined {
  return (
    node.else_edge ??
    node.edges?.find(({ transition_condition: { type, prompt } }) => {
      return type === 'prompt' && /^\s*else\s*$/i.test(prompt)
    })
  )
}
