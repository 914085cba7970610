import { z } from 'zod'
import { id, integer } from './fields.ts'

/** What an agent answers with. Several spellings of a type are accepted; the one sent is echoed. */

const LLM_TYPES = ['llm', 'retell-llm', 'retell_llm'] as const
const FLOW_TYPES = ['conversation-flow', 'conversation_flow'] as const
const CUSTOM_TYPES = ['custom-llm', 'custom_llm'] as const

export const ENGINE_KINDS = ['llm', 'conversation-flow', 'custom-llm'] as const
export type EngineKind = (typeof ENGINE_KINDS)[number]

/** A spelling of `response_engine.type` that the API accepts. */
export type EngineType = (typeof LLM_TYPES)[number] | (typeof FLOW_TYPES)[number] | (typeof CUSTOM_TYPES)[number]

/** The kind behind any accepted spelling. */
export function engineKind(type: EngineType): EngineKind {
  if ((FLOW_TYPES as readonly string[]).includes(type)) return 'conversation-flow'
  return (CUSTOM_TYPES as readonly string[]).includes(type) ? 'custom-llm' : 'llm'
}

const SPELLINGS = { description: 'In any of these spellings; the one that was sent is answered.' }
const LLM_ID = { description: 'An LLM configuration of the same workspace.' }
const FLOW_ID = { description: 'A conversation flow of the same workspace.' }
const SOCKET_URL = { description: 'Address of a server of yours that answers over a WebSocket.' }

const WebSocketUrl = z
  .string()
  .max(2048, { abort: true })
  .regex(/^wss?:\/\/[^/\s]+\S*$/i, 'must start with ws:// or wss://')

const pinnedVersion = integer(1)
  .nullable()
  .optional()
  .meta({ description: 'Pins a version of the engine; absent or null follows its newest.' })

/** As bodies carry it. */
export const ResponseEngineInput = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal(LLM_TYPES).meta(SPELLINGS), llm_id: id().meta(LLM_ID), version: pinnedVersion }),
    z.object({
      type: z.literal(FLOW_TYPES).meta(SPELLINGS),
      conversation_flow_id: id().meta(FLOW_ID),
      version: pinnedVersion,
    }),
    z.object({ type: z.literal(CUSTOM_TYPES).meta(SPELLINGS), llm_websocket_url: WebSocketUrl.meta(SOCKET_URL) }),
  ])
  .meta({ id: 'ResponseEngineInput' })
export type ResponseEngineInput = z.output<typeof ResponseEngineInput>

const resolvedVersion = z
  .int()
  .nullable()
  .meta({ description: 'Version in use: pinned by the caller or recorded at the first use; null follows the newest.' })

/** As answers carry it. */
export const ResponseEngine = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal(LLM_TYPES), llm_id: z.string().meta(LLM_ID), version: resolvedVersion }),
    z.object({
      type: z.literal(FLOW_TYPES),
      conversation_flow_id: z.string().meta(FLOW_ID),
      version: resolvedVersion,
    }),
    z.object({
      type: z.literal(CUSTOM_TYPES),
      llm_websocket_url: z.string().meta(SOCKET_URL),
      version: resolvedVersion.meta({ description: 'Always null: such an engine has no versions here.' }),
    }),
  ])
  .meta({ id: 'ResponseEngine' })
export type ResponseEngine = z.infer<typeof ResponseEngine>
