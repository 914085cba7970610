import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { JsonValue } from '../../ports.ts'
import type { PendingApproval } from '../conversation.ts'

/** Whether the user has to agree before this tool of the server runs. */
export function needsApproval(server: McpServerSetting, toolName: string): boolean {
  return server.require_approval === 'always' && !(server.approved_tools ?? []).includes(toolName)
}

/** Whether the user was asked about exactly this call, in an earlier turn: the model has read the answer by now. */
export function isApproved(asked: readonly PendingApproval[], call: PendingApproval): boolean {
  return asked.some(({ toolName, args }) => toolName === call.toolName && isSame(args, call.args))
}

/** Whether two values are the same, whatever the order of their keys. */
export function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return canonical(left) === canonical(right)
}

function canonical(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([first], [second]) => (first < second ? -1 : 1)))
  })
}
