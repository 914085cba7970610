export interface TestPanelProps {
  readonly agentId: string
  /** A chat agent has no voice: only the chat is offered. */
  readonly kind: 'agent' | 'chat-agent'
  /** Saves what is edited before a conversation begins; false keeps it from beginning. */
  readonly beforeStart: () => Promise<boolean>
  /** Names of `{{variables}}` of the prompt, offered to be filled in. */
  readonly variableNames?: readonly string[]
}

/** Tries the newest version of an agent, in writing or by voice. */
export function TestPanel(_props: TestPanelProps) {
  return null
}
