import type { DialogueDependencies } from '../dialogue/conversation.ts'

/** Ports that fail every call the way real adapters report network errors. */
export function unreachablePorts(): Pick<
  DialogueDependencies,
  'code' | 'mcp' | 'secrets' | 'customLlm' | 'sms' | 'agents' | 'knowledge'
> {
  const message = 'The server could not be reached.'
  const network = { ok: false, reason: 'network', message, durationMs: 0 } as const
  return {
    code: { run: async () => ({ ok: false, reason: 'unavailable', message: 'No code can be run.', durationMs: 0 }) },
    mcp: { listTools: async () => network, call: async () => network },
    secrets: { read: async () => new Map() },
    customLlm: {
      async *respond() {
        yield { type: 'failed', failure: { kind: 'unavailable', message, retryable: false } }
      },
    },
    sms: { send: async () => ({ status: 'unsent', reason: 'No carrier is bound.' }) },
    knowledge: { search: async () => ({ ok: false, message: 'the search could not be reached.' }) },
    agents: { load: async () => ({ ok: false, message: 'there is no such agent.' }) },
  }
}
