import { compileMessage } from '@lingui/message-utils/compileMessage'

/** Parses a message into its texts, placeholders, and plural forms, using the same parser as the page. */
export function readMessage(message: string): unknown {
  return compileMessage(message)
}
