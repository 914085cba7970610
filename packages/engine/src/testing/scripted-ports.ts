import type { Passage } from '@parley/contract/knowledge-passage'
import type { DialogueDependencies } from '../dialogue/conversation.ts'
import type {
  HttpToolCall,
  HttpToolClient,
  HttpToolOutcome,
  JsonValue,
  KnowledgeOutcome,
  KnowledgeRequest,
  KnowledgeSearch,
} from '../ports.ts'

/** An outcome, or a function that returns or resolves to one. */
export type ScriptedOutcome = HttpToolOutcome | ((call: HttpToolCall) => HttpToolOutcome | Promise<HttpToolOutcome>)

/** A scripted client for HTTP tools and the calls that it received. */
export interface ScriptedHttpTools {
  readonly client: HttpToolClient
  readonly calls: readonly HttpToolCall[]
  /** Throws unless each outcome was used and each call was scripted. */
  assertConsumed(): void
}

/** Builds a successful outcome with this body, encoded as JSON unless it is a string. */
export function createHttpOutcome(body: JsonValue, durationMs = 5): HttpToolOutcome {
  return { ok: true, status: 200, bodyText: typeof body === 'string' ? body : JSON.stringify(body), durationMs }
}

/** Creates a client that returns the tool's next outcome for each call. */
export function createScriptedHttpTools(
  script: Readonly<Record<string, readonly ScriptedOutcome[]>> = {},
): ScriptedHttpTools {
  const calls: HttpToolCall[] = []
  const usedCounts = new Map<string, number>()
  const unexpectedCalls: string[] = []
  const client: HttpToolClient = {
    async call(call) {
      calls.push(call)
      const index = usedCounts.get(call.name) ?? 0
      usedCounts.set(call.name, index + 1)
      const outcome = script[call.name]?.[index]
      if (outcome === undefined) {
        unexpectedCalls.push(call.name)
        return { ok: false, reason: 'network', status: null, message: 'This call was not scripted.', durationMs: 0 }
      }
      return typeof outcome === 'function' ? outcome(call) : outcome
    },
  }
  const assertConsumed = (): void => {
    if (unexpectedCalls.length > 0) throw new Error(`Unexpected calls: ${unexpectedCalls.join(', ')}.`)
    for (const [name, outcomes] of Object.entries(script)) {
      const unusedCount = outcomes.length - (usedCounts.get(name) ?? 0)
      if (unusedCount > 0) throw new Error(`${unusedCount} outcomes of ${name} were not used.`)
    }
  }
  return { client, calls, assertConsumed }
}

/** A scripted search and the requests that it received. */
export interface ScriptedKnowledge {
  readonly search: KnowledgeSearch
  readonly requests: readonly KnowledgeRequest[]
}

/** Creates a search that returns the outcomes in order. Further searches fail. */
export function createScriptedKnowledge(...outcomes: readonly KnowledgeOutcome[]): ScriptedKnowledge {
  const requests: KnowledgeRequest[] = []
  return {
    requests,
    search: {
      async search(request) {
        requests.push(request)
        return outcomes[requests.length - 1] ?? { ok: false, message: 'This search was not scripted.' }
      },
    },
  }
}

/** Builds the outcome of a lexical search that found these passages. */
export function createSearchOutcome(...passages: readonly Passage[]): KnowledgeOutcome {
  return { ok: true, passages, mode: 'lexical', missing: [] }
}

/** Builds a passage of a price list and applies overrides. */
export function createPassage(text: string, fields: Partial<Passage> = {}): Passage {
  return {
    knowledgeBaseId: 'knowledge_base_1',
    sourceId: 'source_1',
    sourceType: 'file',
    sourceName: 'Price list',
    url: null,
    page: null,
    headings: [],
    text,
    score: 0.8,
    mode: 'lexical',
    ...fields,
  }
}

/** Creates ports whose calls all fail, like production adapters without a network connection. */
export function createUnreachablePorts(): Pick<
  DialogueDependencies,
  'code' | 'mcp' | 'secrets' | 'customLlm' | 'sms' | 'agents' | 'knowledge'
> {
  const message = 'The server could not be reached.'
  const network = { ok: false, reason: 'network', message, durationMs: 0 } as const
  return {
    code: {
      run: async () => ({ ok: false, reason: 'unavailable', message: 'The sandbox is unavailable.', durationMs: 0 }),
    },
    mcp: { listTools: async () => network, call: async () => network },
    secrets: { read: async () => new Map() },
    customLlm: {
      async *respond() {
        yield { type: 'failed', failure: { kind: 'unavailable', message, retryable: false } }
      },
    },
    sms: { send: async () => ({ status: 'unsent', reason: 'No carrier is connected.' }) },
    knowledge: { search: async () => ({ ok: false, message: 'the search could not be reached.' }) },
    agents: { load: async () => ({ ok: false, message: 'there is no such agent.' }) },
  }
}
