import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { JsonValue } from '../../ports.ts'
import type { PendingApproval } from '../conversation.ts'

/** Whether the server's tool requires the user's approval. */
export function needsApproval(server: McpServerSetting, toolName: string): boolean {
  return server.require_approval === 'always' && !(server.approved_tools ?? []).includes(toolName)
}

/** Whether an earlier turn requested approval for this exact call. The model has read the user's answer by now. */
export function isApproved(pendingApprovals: readonly PendingApproval[], call: PendingApproval): boolean {
  return pendingApprovals.some(({ toolName, args }) => toolName === call.toolName && isDeepEqual(args, call.args))
}

/** Whether two values are equal regardless of key order. */
export function isDeepEqual(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return toCanonicalJson(left) === toCanonicalJson(right)
}

function toCanonicalJson(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_key, nestedValue: unknown) => {
    if (typeof nestedValue !== 'object' || nestedValue === null || Array.isArray(nestedValue)) return nestedValue
    return Object.fromEntries(Object.entries(nestedValue).sort(([first], [second]) => (first < second ? -1 : 1)))
  })
}
