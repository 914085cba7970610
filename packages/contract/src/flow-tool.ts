import { z } from 'zod'
import { id } from './fields.ts'
import {
  AgentSwapTool,
  BookAppointmentCalTool,
  BridgeTransferTool,
  CancelTransferTool,
  CheckAvailabilityCalTool,
  CodeTool,
  CustomTool,
  EndCallTool,
  ExtractDynamicVariableTool,
  McpTool,
  PressDigitTool,
  SendSmsTool,
  TransferCallTool,
} from './tools.ts'
import { DESPITE_OTHER_ISSUES, rejectDuplicates } from './unique-items.ts'

/** Tools of conversation flows, which are LLM configuration tools with an ID for references. */

const named = { tool_id: id().optional().describe('ID by which nodes refer to this item. Defaults to the name.') }

/** A tool of any type, discriminated by `type`. Parsing a parsed tool again returns an equal tool. */
export const FlowTool = z
  .discriminatedUnion('type', [
    EndCallTool.extend(named),
    TransferCallTool.extend(named),
    AgentSwapTool.extend(named),
    PressDigitTool.extend(named),
    SendSmsTool.extend(named),
    CustomTool.extend(named),
    CodeTool.extend(named),
    ExtractDynamicVariableTool.extend(named),
    BridgeTransferTool.extend(named),
    CancelTransferTool.extend(named),
    McpTool.extend(named),
    CheckAvailabilityCalTool.extend(named),
    BookAppointmentCalTool.extend(named),
  ])
  .meta({ id: 'FlowTool' })
export type FlowTool = z.output<typeof FlowTool>

/** Returns the ID by which nodes refer to a tool. */
export function getFlowToolId(tool: Pick<FlowTool, 'tool_id' | 'name'>): string {
  return tool.tool_id ?? tool.name
}

/** Tools of a flow or component. Their names and IDs are unique. */
export const FlowToolList = z
  .array(FlowTool)
  .max(100)
  .superRefine((tools, context) => {
    rejectDuplicates('name')(tools, context)
    rejectDuplicates('tool_id')(tools, context)
  }, DESPITE_OTHER_ISSUES)
