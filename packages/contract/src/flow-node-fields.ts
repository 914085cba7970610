import { z } from 'zod'
import { enumOrDecimal, freeObject, id, integer, label, PROMPT_LIMIT_BYTES, text } from './fields.ts'
import { FixedFlowEdge, FlowEdge, FlowPartId, TransitionCondition } from './flow-edge.ts'
import { DisplayPosition } from './flow-note.ts'
import { highPriority } from './flow-switches.ts'
import { FlowToolList } from './flow-tool.ts'
import { KnowledgeBaseIds, NodeKbConfig } from './knowledge-use.ts'
import { Responsiveness } from './llm.ts'
import { ModelName } from './model-name.ts'
import { sentence } from './tool-fields.ts'
import { AgentSwapTool, CodeTool, ExtractDynamicVariableTool, McpTool, PressDigitTool } from './tools.ts'
import { TransferCallTool } from './transfer-tool.ts'

/**
 * What nodes of a flow can carry. A field means and accepts the same wherever it stands, so that nodes can be changed field by
 * field; which type has which fields is said in `flow-node.ts`.
 */

/** Most edges of a node. */
const EDGE_LIMIT = 100

const Instruction = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('prompt'), text: text(PROMPT_LIMIT_BYTES) })
      .meta({ description: 'What the model shall do or say here.' }),
    z
      .object({ type: z.literal('static_text'), text: text(PROMPT_LIMIT_BYTES) })
      .meta({ description: 'What is said, word by word.' }),
    z
      .object({ type: z.literal('template'), template: z.literal('info_collection') })
      .meta({ description: 'A text that is there already; for `sms` nodes.' }),
  ])
  .meta({ id: 'FlowInstruction' })

/** Which model a flow uses. */
export const ModelChoice = z
  .object({ type: z.literal('cascading'), model: ModelName })
  .meta({ id: 'ModelChoice', description: 'Speech is made text, the model answers it, the answer is spoken.' })

/** Which model a node uses in the place of the flow's. */
const NodeModelChoice = ModelChoice.extend({ high_priority: highPriority }).meta({
  id: 'NodeModelChoice',
  description: 'The model of one node.',
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

const FinetuneExample = z
  .object({
    id: FlowPartId.optional(),
    transcript: z.array(ExampleUtterance).max(200),
    destination_node_id: FlowPartId.optional(),
  })
  .meta({ id: 'FinetuneExample', description: 'A piece of conversation that shows what should come of it.' })

const examples = (description: string) => z.array(FinetuneExample).max(100).optional().meta({ description })

const GlobalNodeSetting = z
  .object({
    condition: sentence().min(1).meta({ description: 'When the conversation comes here from anywhere, in words.' }),
    cool_down: integer(1, 1_000).optional().meta({
      description:
        'After how many transitions the node may be entered this way again; the one that leaves the node does not count.',
    }),
    go_back_conditions: z
      .array(z.object({ id: FlowPartId.optional(), transition_condition: TransitionCondition }))
      .max(50)
      .optional()
      .meta({ description: 'When the conversation goes back to where it came from.' }),
    positive_finetune_examples: examples('Pieces of conversation after which it comes here.'),
    negative_finetune_examples: examples('Pieces of conversation after which it does not.'),
  })
  .meta({ id: 'GlobalNodeSetting', description: 'Lets the conversation come to this node from any other.' })

const fixedEdge = (description: string) => FixedFlowEdge.optional().meta({ description })
const flag = (description: string) => z.boolean().optional().meta({ description })

/** What every type of node may have beside its id. */
export const commonNodeFields = {
  name: label().optional().meta({ description: 'Name to know it by.' }),
  display_position: DisplayPosition.optional().meta({ description: 'Where an editor draws it.' }),
  instruction: Instruction.optional().meta({ description: 'What happens or is said here.' }),
  edges: z
    .array(FlowEdge)
    .max(EDGE_LIMIT)
    .optional()
    .meta({ description: 'Where the conversation goes on, each edge with its condition.' }),
  global_node_setting: GlobalNodeSetting.optional().meta({
    description: 'When the conversation comes here from any other node.',
  }),
  model_choice: NodeModelChoice.optional().meta({ description: 'Instead of the flow’s.' }),
}

/** What single types of node may have. */
export const nodeFields = {
  else_edge: fixedEdge('Taken when no other edge is.'),
  always_edge: fixedEdge('Taken after the user’s next turn, whatever it says.'),
  skip_response_edge: fixedEdge('Taken at once when the node has spoken, without waiting for an answer.'),
  edge: fixedEdge('Taken when the hand-over failed.'),
  success_edge: fixedEdge('Taken when the message was sent.'),
  failed_edge: fixedEdge('Taken when the tool failed or the message could not be sent.'),
  reword_on_revisit: flag(
    'Let the model say the static text in words of its own when the conversation comes here again; word by word when absent.',
  ),
  finetune_conversation_examples: examples('Pieces of conversation that show how to speak here.'),
  finetune_transition_examples: examples('Pieces of conversation that show which edge to take.'),
  interruption_sensitivity: enumOrDecimal(['none', 'low', 'medium', 'high'])
    .pipe(z.string())
    .optional()
    .meta({ description: 'Instead of the agent’s: `none`, `low`, `medium`, `high` or a decimal from 0 to 1.' }),
  responsiveness: Responsiveness.pipe(z.string()).optional(),
  voice_speed: z.number().min(0.5).max(2).optional().meta({ description: 'Speed of the voice here; 1 is its own.' }),
  stt_mode: z
    .enum(['fast', 'accurate', 'custom'])
    .optional()
    .meta({ description: 'How speech becomes text here; `custom` takes `custom_stt_config`.' }),
  custom_stt_config: freeObject(8 * 1024)
    .optional()
    .meta({ description: 'With `stt_mode` `custom`: what to recognise speech with.' }),
  allow_dtmf_interruption: flag('Let the caller interrupt by pressing a key.'),
  reminder_trigger_ms: integer(1, 3_600_000)
    .optional()
    .meta({ description: 'Milliseconds of silence before the user is reminded.' }),
  reminder_max_count: integer(0, 100).optional().meta({ description: 'How often at most; 0 never reminds.' }),
  knowledge_base_ids: KnowledgeBaseIds.optional().meta({
    description: 'Knowledge bases that answers here can draw on, instead of the flow’s; an empty list: none.',
  }),
  kb_config: NodeKbConfig.optional(),
  tools: FlowToolList.optional().meta({ description: 'Tools that only this node has.' }),
  tool_ids: z
    .array(id())
    .max(100)
    .optional()
    .meta({ description: 'Tools of the flow or component that the node may use, each by its `tool_id` or name.' }),
  tool_id: id()
    .optional()
    .meta({ description: 'The tool to run: its `tool_id` or name in `tools` of the flow or component.' }),
  tool_type: z.enum(['local', 'shared']).optional().meta({
    description: 'Kept and answered; `tool_id` is looked for in `tools` of the flow or component either way.',
  }),
  wait_for_result: flag('Stay until the result is there.'),
  speak_during_execution: flag('Say the instruction while the node does its work.'),
  enable_typing_sound: flag('Play the sound of typing while the node does its work.'),
  code: CodeTool.shape.code.optional(),
  response_variables: CodeTool.shape.response_variables,
  timeout_ms: CodeTool.shape.timeout_ms,
  transfer_destination: TransferCallTool.shape.transfer_destination.optional(),
  transfer_option: TransferCallTool.shape.transfer_option.optional(),
  custom_sip_headers: TransferCallTool.shape.custom_sip_headers,
  ignore_e164_validation: TransferCallTool.shape.ignore_e164_validation,
  agent_id: id().optional().meta({ description: 'The agent to hand over to; lost when that agent is deleted.' }),
  agent_version: AgentSwapTool.shape.agent_version,
  post_call_analysis_setting: AgentSwapTool.shape.post_call_analysis_setting,
  webhook_setting: AgentSwapTool.shape.webhook_setting,
  keep_current_voice: AgentSwapTool.shape.keep_current_voice,
  keep_current_language: AgentSwapTool.shape.keep_current_language,
  delay_ms: PressDigitTool.shape.delay_ms,
  variables: ExtractDynamicVariableTool.shape.variables.optional(),
  mcp_id: McpTool.shape.mcp_id.optional().meta({ description: 'The MCP server: one of `mcps`, by its id or name.' }),
  mcp_tool_name: z.string().min(1).max(200).optional().meta({ description: 'Tool of that server to call.' }),
  component_id: id().optional().meta({ description: 'Id of the component to run.' }),
  component_type: z
    .enum(['local', 'shared'])
    .optional()
    .meta({
      description:
        '`local`: one of `components` of the flow; `shared`: a shared component of the workspace. Absent: a local one when ' +
        'the flow has one of that id, else a shared one.',
    }),
}
