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

/** Tools of conversation flows: the tools of LLM configurations with an ID for references. */

const named = { tool_id: id().optional().describe('ID for references in nodes. Defaults to the name.') }

/** Any tool, discriminated by `type`. Parsing a parsed tool does not change it. */
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

/** ID by which nodes refer to a tool. */
export function flowToolId(tool: Pick<FlowTool, 'tool_id' | 'name'>): string {
  return tool.tool_id ?? tool.name
}

/** The tools of one flow or component, each with its own name and ID. */
export const FlowToolList = z
  .array(FlowTool)
  .max(100)
  .superRefine((tools, context) => {
    rejectDuplicates('name')(tools, context)
    rejectDuplicates('tool_id')(tools, context)
  }, DESPITE_OTHER_ISSUES)
