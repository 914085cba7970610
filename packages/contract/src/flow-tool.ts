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

/** The tools of conversation flows: those of LLM configurations, each with an id by which nodes can name it. */

const named = { tool_id: id().optional().meta({ description: 'How nodes name the tool; its name when absent.' }) }

/** Any tool, told apart by `type`. A value that passed once passes unchanged again. */
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

/** By what nodes refer to the tool. */
export function flowToolId(tool: Pick<FlowTool, 'tool_id' | 'name'>): string {
  return tool.tool_id ?? tool.name
}

/** At most 100 tools, each name and each id once. */
export const FlowToolList = z
  .array(FlowTool)
  .max(100)
  .superRefine(rejectDuplicates, {
    // Also when other elements are wrong, so that all problems are told at once.
    when: ({ value }) => Array.isArray(value),
  })

function rejectDuplicates(tools: readonly unknown[], context: z.core.$RefinementCtx): void {
  for (const key of ['name', 'tool_id'] as const) {
    const seen = new Set<string>()
    tools.forEach((tool, index) => {
      const given = typeof tool === 'object' && tool !== null ? (tool as Record<string, unknown>)[key] : undefined
      if (typeof given !== 'string') return
      if (seen.has(given)) {
        const message = `must be unique: "${given}" is already used`
        context.addIssue({ code: 'custom', path: [index, key], message })
      }
      seen.add(given)
    })
  }
}
