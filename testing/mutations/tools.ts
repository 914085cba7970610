import type { Mutation } from './mutation.ts'

const area = 'tools'
const TOOLS = 'packages/engine/src/dialogue/tools'

/** Faults in tool calls: planning, approval, repeats after a crash, and secrets. */
export const TOOLS_OF_AGENTS: readonly Mutation[] = [
  {
    id: 'request-repeated-after-crash',
    area,
    behavior: 'After a crash, a POST that may have been sent is sent again, and something is booked twice.',
    before: {
      file: `${TOOLS}/plan-tool-call.ts`,
      find: 'return options.resumed && !canRepeat(tool) ? unknownOutcome :',
      replace: 'return options.resumed && canRepeat(tool) ? unknownOutcome :',
    },
  },
  {
    id: 'mcp-call-repeated-after-crash',
    area,
    behavior: 'After a crash, a tool of an MCP server that may have run is run again.',
    before: {
      file: `${TOOLS}/plan-tool-call.ts`,
      find: 'return options.resumed ? unknownOutcome : planMcpCall({ call, args }, tool, options)',
      replace: 'return planMcpCall({ call, args }, tool, options)',
    },
  },
  {
    id: 'approval-covers-other-arguments',
    area,
    behavior: 'A user who agreed to one call has agreed to any call of that tool, such as a higher amount.',
    before: {
      file: `${TOOLS}/approvals.ts`,
      find: 'toolName === call.toolName && isDeepEqual(args, call.args)',
      replace: 'toolName === call.toolName',
    },
  },
  {
    id: 'approval-counts-twice',
    area,
    behavior: 'A tool that was approved once runs again later without asking.',
    before: {
      file: `${TOOLS}/settle-call.ts`,
      find: "  if (plan.type === 'mcp') turn.removeApproval({ toolName: plan.call.name, args: plan.args })\n",
      replace: '',
    },
  },
  {
    id: 'failed-tool-keeps-old-value',
    area,
    behavior: 'After a tool failed, the conversation goes on with the value of an earlier call.',
    before: {
      file: `${TOOLS}/run-tools.ts`,
      find: `      const outcome = maskOutcome(await dependencies.httpTools.call(builtRequest.request), builtRequest.mask)
      if (isCancelled(outcome, signal)) return null
      const variables = outcome.ok ? readResponseVariables(outcome.bodyText, paths) : clearResponseVariables(paths)`,
      replace: `      const outcome = maskOutcome(await dependencies.httpTools.call(builtRequest.request), builtRequest.mask)
      if (isCancelled(outcome, signal)) return null
      const variables = outcome.ok ? readResponseVariables(outcome.bodyText, paths) : {}`,
    },
    after: {
      file: `${TOOLS}/run-tools.ts`,
      find: 'readResponseVariables(getOutcomeText(outcome), paths) : clearResponseVariables(paths)',
      replace: 'readResponseVariables(getOutcomeText(outcome), paths) : {}',
    },
  },
  {
    id: 'secret-echoed-to-model',
    area,
    behavior: 'A secret that a server repeats in its answer is shown to the model and stored in the chat.',
    before: {
      file: `${TOOLS}/run-tools.ts`,
      find: 'maskOutcome(await dependencies.httpTools.call(builtRequest.request), builtRequest.mask)',
      replace: 'await dependencies.httpTools.call(builtRequest.request)',
    },
  },
  {
    id: 'one-retry-too-few',
    area,
    behavior: 'A tool that is set to retry once is not retried.',
    before: {
      file: 'packages/server/src/integrations/tools/tool-retry.ts',
      find: 'if (state.attempts > state.maxRetry) return null',
      replace: 'if (state.attempts >= state.maxRetry) return null',
    },
  },
]
