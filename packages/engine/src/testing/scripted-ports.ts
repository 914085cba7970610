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

/** Builds a successful outcome with a JSON body or plain text. */
export function answersWith(body: JsonValue, durationMs = 5): HttpToolOutcome {
  return { ok: true, status: 200, bodyText: typeof body === 'string' ? body : JSON.stringify(body), durationMs }
}

/** Creates a client that answers each call with the tool's next outcome. */
export function createScriptedHttpTools(
  script: Readonly<Record<string, readonly ScriptedOutcome[]>> = {},
): ScriptedHttpTools {
  const calls: HttpToolCall[] = []
  const used = new Map<string, number>()
  const unexpected: string[] = []
  const client: HttpToolClient = {
    async call(call) {
      calls.push(call)
      const index = used.get(call.name) ?? 0
      used.set(call.name, index + 1)
      const outcome = script[call.name]?.[index]
      if (outcome === undefined) {
        unexpected.push(call.name)
        return { ok: false, reason: 'network', status: null, message: 'This call was not scripted.', durationMs: 0 }
      }
      return typeof outcome === 'function' ? outcome(call) : outcome
    },
  }
  const assertConsumed = (): void => {
    if (unexpected.length > 0) throw new Error(`Calls that were not expected: ${unexpected.join(', ')}.`)
    for (const [name, outcomes] of Object.entries(script)) {
      const left = outcomes.length - (used.get(name) ?? 0)
      if (left > 0) throw new Error(`${left} outcomes of ${name} were left over.`)
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
export function finds(...passages: readonly Passage[]): KnowledgeOutcome {
  return { ok: true, passages, mode: 'lexical', missing: [] }
}

/** Builds a passage from a price list and applies overrides. */
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

/** Creates ports that fail every call the way production adapters report network errors. */
export function createUnreachablePorts(): Pick<
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
