import { z } from 'zod'
import { enumOrDecimal, freeObject, id, integer, label, PROMPT_LIMIT_BYTES, text } from './fields.ts'
import { FixedFlowEdge, FlowEdge, FlowPartId, TransitionCondition } from './flow-edge.ts'
import { DisplayPosition } from './flow-note.ts'
import { highPriority } from './flow-switches.ts'
import { FlowToolList } from './flow-tool.ts'
import { KnowledgeBaseIds, NodeKbConfig } from './knowledge-use.ts'
import { Responsiveness } from './llm.ts'
import { ModelName } from './model-name.ts'
import { defineDescribedObject } from './named-object.ts'
import { sentence } from './tool-fields.ts'
import { AgentSwapTool, CodeTool, ExtractDynamicVariableTool, McpTool, PressDigitTool } from './tools.ts'
import { TransferCallTool } from './transfer-tool.ts'

/**
 * Fields of flow nodes. A field has the same schema in every node type, so that a PATCH can change nodes field by field.
 * `flow-node.ts` defines the fields of each node type.
 */

/** Maximum number of edges per node. */
const EDGE_LIMIT = 100

const Instruction = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('prompt'), text: text(PROMPT_LIMIT_BYTES) }).describe('Instruction for the model.'),
    z
      .object({ type: z.literal('static_text'), text: text(PROMPT_LIMIT_BYTES) })
      .describe('Text that the agent says verbatim.'),
    z
      .object({ type: z.literal('template'), template: z.literal('info_collection') })
      .describe('Predefined text for `sms` nodes.'),
  ])
  .meta({ id: 'FlowInstruction' })

/** Model of a flow. */
export const ModelChoice = defineDescribedObject(
  'ModelChoice',
  'Pipeline of speech recognition, a language model and speech synthesis.',
  { type: z.literal('cascading'), model: ModelName },
)

/** Model of a node, which overrides the model of the flow. */
const NodeModelChoice = ModelChoice.extend({ high_priority: highPriority }).meta({
  id: 'NodeModelChoice',
  description: 'Model of a single node.',
})

const ExampleUtterance = z
  .discriminatedUnion('role', [
    z.object({ role: z.enum(['agent', 'user']), content: sentence() }),
    z.object({
      role: z.literal('tool_call_invocation'),
      tool_call_id: id(),
      name: z.string().min(1).max(200),
      arguments: sentence(),
    }),
    z.object({ role: z.literal('tool_call_result'), tool_call_id: id(), content: sentence() }),
  ])
  .meta({ id: 'ExampleUtterance' })

const FinetuneExample = defineDescribedObject('FinetuneExample', 'Example conversation with its expected outcome.', {
  id: FlowPartId.optional(),
  transcript: z.array(ExampleUtterance).max(200),
  destination_node_id: FlowPartId.optional(),
})

const examples = (description: string) => z.array(FinetuneExample).max(100).optional().describe(description)

const GlobalNodeSetting = defineDescribedObject(
  'GlobalNodeSetting',
  'Allows the conversation to enter the node from any other node.',
  {
    condition: sentence()
      .min(1)
      .describe('Instruction that tells the model when to enter the node from any other node.'),
    cool_down: integer(1, 1_000)
      .optional()
      .describe(
        'Number of transitions before the node can be entered this way again, not counting the transition that leaves ' +
          'the node.',
      ),
    go_back_conditions: z
      .array(z.object({ id: FlowPartId.optional(), transition_condition: TransitionCondition }))
      .max(50)
      .optional()
      .describe('Conditions for returning to the previous node.'),
    positive_finetune_examples: examples('Example conversations that enter the node.'),
    negative_finetune_examples: examples('Example conversations that do not enter the node.'),
  },
)

const fixedEdge = (description: string) => FixedFlowEdge.optional().describe(description)
const flag = (description: string) => z.boolean().optional().describe(description)

/** Optional fields that every node type has. */
export const commonNodeFields = {
  name: label().optional().describe('Display name.'),
  display_position: DisplayPosition.optional().describe('Position in an editor.'),
  instruction: Instruction.optional().describe('What the agent should say or do in the node.'),
  edges: z.array(FlowEdge).max(EDGE_LIMIT).optional().describe('Outgoing edges with their conditions.'),
  global_node_setting: GlobalNodeSetting.optional().describe('Settings for entering the node from any other node.'),
  model_choice: NodeModelChoice.optional().describe('Model of the node, which overrides the model of the flow.'),
}

/** Optional fields that only some node types have. */
export const nodeFields = {
  else_edge: fixedEdge('Edge to take if no other condition is true.'),
  always_edge: fixedEdge('Edge to take after the user’s next turn, regardless of its content.'),
  skip_response_edge: fixedEdge('Edge to take as soon as the node has spoken, without waiting for the user.'),
  edge: fixedEdge('Edge to take if the transfer or agent swap fails.'),
  success_edge: fixedEdge('Edge to take if the message is sent.'),
  failed_edge: fixedEdge('Edge to take if the tool fails or the message cannot be sent.'),
  reword_on_revisit: flag('Whether the model rewords the static text if the node is entered again. Defaults to false.'),
  finetune_conversation_examples: examples('Example conversations that show how to speak in the node.'),
  finetune_transition_examples: examples('Example conversations that show which edge to take.'),
  interruption_sensitivity: enumOrDecimal(['none', 'low', 'medium', 'high'])
    .pipe(z.string())
    .optional()
    .describe(
      'Interruption sensitivity, which overrides the agent’s sensitivity: `none`, `low`, `medium`, `high` or a decimal ' +
        'from 0 to 1.',
    ),
  responsiveness: Responsiveness.pipe(z.string()).optional(),
  voice_speed: z.number().min(0.5).max(2).optional().describe('Speaking rate in the node, from 0.5 to 2; 1 is normal.'),
  stt_mode: z
    .enum(['fast', 'accurate', 'custom'])
    .optional()
    .describe('Speech recognition mode in the node. `custom` uses `custom_stt_config`.'),
  custom_stt_config: freeObject(8 * 1024)
    .optional()
    .describe('Speech recognition settings for `stt_mode` `custom`.'),
  allow_dtmf_interruption: flag('Whether pressing a key interrupts the agent.'),
  reminder_trigger_ms: integer(1, 3_600_000)
    .optional()
    .describe('Milliseconds of silence before the agent reminds the user.'),
  reminder_max_count: integer(0, 100).optional().describe('Maximum number of reminders; 0 turns them off.'),
  knowledge_base_ids: KnowledgeBaseIds.optional().describe(
    'IDs of the node’s knowledge bases, which replace the flow’s list. An empty list disables knowledge bases.',
  ),
  kb_config: NodeKbConfig.optional(),
  tools: FlowToolList.optional().describe('Tools that only the node can use.'),
  tool_ids: z
    .array(id())
    .max(100)
    .optional()
    .describe('Tools of the flow or component that the node can use, by `tool_id` or name.'),
  tool_id: id().optional().describe('Tool of the flow or component to run, by `tool_id` or name.'),
  tool_type: z
    .enum(['local', 'shared'])
    .optional()
    .describe('Stored but has no effect: `tool_id` always refers to a tool of the flow or component.'),
  wait_for_result: flag('Whether the conversation waits for the result.'),
  speak_during_execution: flag('Whether the agent says the instruction while the node runs.'),
  enable_typing_sound: flag('Whether to play typing sounds while the node runs.'),
  code: CodeTool.shape.code.optional(),
  response_variables: CodeTool.shape.response_variables,
  timeout_ms: CodeTool.shape.timeout_ms,
  transfer_destination: TransferCallTool.shape.transfer_destination.optional(),
  transfer_option: TransferCallTool.shape.transfer_option.optional(),
  custom_sip_headers: TransferCallTool.shape.custom_sip_headers,
  ignore_e164_validation: TransferCallTool.shape.ignore_e164_validation,
  agent_id: id().optional().describe('ID of the agent that takes over. The ID is removed when the agent is deleted.'),
  agent_version: AgentSwapTool.shape.agent_version,
  post_call_analysis_setting: AgentSwapTool.shape.post_call_analysis_setting,
  webhook_setting: AgentSwapTool.shape.webhook_setting,
  keep_current_voice: AgentSwapTool.shape.keep_current_voice,
  keep_current_language: AgentSwapTool.shape.keep_current_language,
  delay_ms: PressDigitTool.shape.delay_ms,
  variables: ExtractDynamicVariableTool.shape.variables.optional(),
  mcp_id: McpTool.shape.mcp_id.optional().describe('MCP server of the flow or component, by `mcp_id` or name.'),
  mcp_tool_name: z.string().min(1).max(200).optional().describe('Name of the tool on the MCP server.'),
  component_id: id().optional().describe('ID of the component to run.'),
  component_type: z
    .enum(['local', 'shared'])
    .optional()
    .describe(
      '`local` for a component of the flow, `shared` for a shared component of the workspace. Defaults to ' +
        '`local` if the flow has a component with this ID, and to `shared` otherwise.',
    ),
}
