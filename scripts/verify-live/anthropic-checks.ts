import { createAnthropicModel } from '../../packages/server/src/integrations/models/anthropic-wire.ts'
import { joinUrl } from '../../packages/server/src/integrations/vendor-exchange.ts'
import { type Check, type VendorAccess, verify } from './check.ts'
import { createModelChecks } from './model-checks.ts'
import { readRawEvents } from './raw-requests.ts'
import { COUNT_PROMPT } from './spoken-texts.ts'

const MODEL = 'claude-haiku-4-5'

/** Creates the checks of the Messages API. */
export function createAnthropicChecks(access: VendorAccess): readonly Check[] {
  const { http, clock, baseUrl } = access
  const model = access.model ?? MODEL
  return [
    ...createModelChecks({
      apiKey: access.apiKey,
      model,
      create: (name, apiKey) =>
        createAnthropicModel({ name: `anthropic/${name}`, model: name, baseUrl, apiKey, http, clock }),
    }),
    {
      name: '"message_start" counts input tokens, "message_delta" has the reason, and "message_stop" is last',
      costUsd: 0.005,
      run: (signal) => verifyEventOrder(access, model, signal),
    },
  ]
}

async function verifyEventOrder(access: VendorAccess, model: string, signal: AbortSignal): Promise<void> {
  const body = { model, max_tokens: 300, stream: true, messages: [{ role: 'user', content: COUNT_PROMPT }] }
  const headers = { 'x-api-key': access.apiKey, 'anthropic-version': '2023-06-01' }
  const path = /\/v1\/*$/.test(new URL(access.baseUrl).pathname) ? '/messages' : '/v1/messages'
  const events = await readRawEvents(access, { url: joinUrl(access.baseUrl, path), headers, body }, signal)
  const messages = events.map(({ data }) => JSON.parse(data) as StreamMessage)
  verify(
    events.every(({ event }, index) => event === messages[index]?.type),
    'An event has another name than its data.',
  )
  const start = messages[0]
  verify(start?.type === 'message_start', 'The first event is not "message_start".')
  verify((start.message?.usage?.input_tokens ?? 0) > 0, '"message_start" counts no input tokens.')
  const delta = messages.findLast(({ type }) => type === 'message_delta')
  verify(delta?.delta?.stop_reason === 'end_turn', '"message_delta" has no "end_turn".')
  verify((delta.usage?.output_tokens ?? 0) > 0, '"message_delta" counts no output tokens.')
  verify(messages.at(-1)?.type === 'message_stop', 'The last event is not "message_stop".')
}

interface StreamMessage {
  readonly type: string
  readonly message?: { readonly usage?: { readonly input_tokens?: number } }
  readonly delta?: { readonly stop_reason?: string | null }
  readonly usage?: { readonly output_tokens?: number }
}
