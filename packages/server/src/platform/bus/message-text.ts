import type { JsonValue } from '@parley/engine/ports'

/** What travels between nodes: a message on a topic, or, without one, the word that some of the node's messages were lost. */
export interface ReadMessage {
  readonly nodeId: string
  readonly topic: string | null
  /** JSON, not parsed yet: most messages are of topics that nobody listens to here. */
  readonly json: string
}

/** `nodeId`, topic and JSON, each on its line: neither an id nor JSON holds a line break, so that a topic may. */
export function writeMessage(nodeId: string, topic: string, message: JsonValue): string {
  return `${nodeId}\n${topic}\n${JSON.stringify(message)}`
}

/** Tells the other nodes that they have missed messages of this one. */
export function writeGap(nodeId: string): string {
  return `${nodeId}\n`
}

/** Null for what no node wrote. */
export function readMessage(text: string): ReadMessage | null {
  const first = text.indexOf('\n')
  const last = text.lastIndexOf('\n')
  if (first <= 0) return null
  const nodeId = text.slice(0, first)
  if (first === last) return first === text.length - 1 ? { nodeId, topic: null, json: '' } : null
  return { nodeId, topic: text.slice(first + 1, last), json: text.slice(last + 1) }
}
