import type { SendSmsTool } from '@parley/contract/tools'
import type { JsonObject, SmsSender } from '../../ports.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { createResult, type SentSms, type ToolResult } from './tool-result.ts'

/** Text of the built-in message template. */
export const INFO_COLLECTION_TEXT =
  'Thank you for getting in touch. Please answer this message with the details that we talked about.'

/** Tool result after the message was sent. */
export const SMS_SENT = 'The message was sent.'

/** Sends a text message to the other party. */
export async function sendSms(
  { tool, args }: { readonly tool: Pick<SendSmsTool, 'sms_content'>; readonly args: JsonObject },
  environment: { readonly sms: SmsSender; readonly lookup: VariableLookup },
): Promise<{ readonly result: ToolResult; readonly sms: SentSms }> {
  const { sms, lookup } = environment
  const message = { toNumber: lookup('user_number') ?? null, text: buildSmsText(tool, args, lookup) }
  const outcome = await sms.send(message)
  const summary =
    outcome.status === 'sent'
      ? SMS_SENT
      : `The message was kept but not sent: ${outcome.reason ?? 'the reason is not known.'}`
  return { result: createResult(summary, outcome.status === 'sent'), sms: { message, outcome } }
}

function buildSmsText(
  { sms_content: content }: Pick<SendSmsTool, 'sms_content'>,
  args: JsonObject,
  lookup: VariableLookup,
) {
  switch (content.type) {
    case 'predefined':
      return renderTemplate(content.text, lookup)
    case 'inferred':
      return typeof args.text === 'string' ? args.text : ''
    case 'template':
      return INFO_COLLECTION_TEXT
  }
}
