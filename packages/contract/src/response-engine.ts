import { z } from 'zod'
import { id, integer } from './fields.ts'

/** Response engine of an agent. The API accepts several spellings of a type and returns them unchanged. */

const LLM_TYPES = ['llm', 'retell-llm', 'retell_llm'] as const
const FLOW_TYPES = ['conversation-flow', 'conversation_flow'] as const
const CUSTOM_TYPES = ['custom-llm', 'custom_llm'] as const

export const ENGINE_KINDS = ['llm', 'conversation-flow', 'custom-llm'] as const
export type EngineKind = (typeof ENGINE_KINDS)[number]

/** An accepted spelling of `response_engine.type`. */
export type EngineType = (typeof LLM_TYPES)[number] | (typeof FLOW_TYPES)[number] | (typeof CUSTOM_TYPES)[number]

/** Returns the engine kind for any accepted spelling. */
export function getEngineKind(type: EngineType): EngineKind {
  if ((FLOW_TYPES as readonly string[]).includes(type)) return 'conversation-flow'
  return (CUSTOM_TYPES as readonly string[]).includes(type) ? 'custom-llm' : 'llm'
}

const TYPE = 'Type of the engine. All spellings are accepted and returned unchanged.'
const LLM_ID = 'ID of an LLM configuration in the same workspace.'
const FLOW_ID = 'ID of a conversation flow in the same workspace.'
const SOCKET_URL = 'WebSocket URL of your server.'

const WebSocketUrl = z
  .string()
  .max(2048, { abort: true })
  .regex(/^wss?:\/\/[^/\s]+\S*$/i, 'must start with ws:// or wss://')

const pinnedVersion = integer(1)
  .nullable()
  .optional()
  .describe('Pinned version of the engine. If omitted or null, the agent follows the latest version.')

/** Response engine in a body. */
export const ResponseEngineInput = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal(LLM_TYPES).describe(TYPE), llm_id: id().describe(LLM_ID), version: pinnedVersion }),
    z.object({
      type: z.literal(FLOW_TYPES).describe(TYPE),
      conversation_flow_id: id().describe(FLOW_ID),
      version: pinnedVersion,
    }),
    z.object({
      type: z.literal(CUSTOM_TYPES).describe(TYPE),
      llm_websocket_url: WebSocketUrl.describe(SOCKET_URL),
    }),
  ])
  .meta({ id: 'ResponseEngineInput' })
export type ResponseEngineInput = z.output<typeof ResponseEngineInput>

const resolvedVersion = z
  .int()
  .nullable()
  .describe('Selected version, either pinned or recorded on first use. If null, the agent follows the latest version.')

/** Response engine in a response. */
export const ResponseEngine = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal(LLM_TYPES), llm_id: z.string().describe(LLM_ID), version: resolvedVersion }),
    z.object({
      type: z.literal(FLOW_TYPES),
      conversation_flow_id: z.string().describe(FLOW_ID),
      version: resolvedVersion,
    }),
    z.object({
      type: z.literal(CUSTOM_TYPES),
      llm_websocket_url: z.string().describe(SOCKET_URL),
      version: resolvedVersion.describe('Always null because custom engines have no versions.'),
    }),
  ])
  .meta({ id: 'ResponseEngine' })
export type ResponseEngine = z.infer<typeof ResponseEngine>
