import { compileMessage } from '@lingui/message-utils/compileMessage'

/** The parts of a message: its texts, places and forms of plurals, as the page reads them. */
export function readMessage(message: string): unknown {
  return compileMessage(message)
}
