import { message } from '../../lib/language.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'

/** What a kind of agent is called where its screens speak of it. */
export interface AgentWords {
  readonly list: string
  readonly one: string
  readonly create: string
  readonly deleteTitle: string
  readonly deleteConsequence: string
  readonly deleteButton: string
  readonly deleted: string
  readonly duplicated: string
  readonly published: string
  readonly publishConsequence: string
}

export const AGENT_WORDS: Readonly<Record<AgentApi<AnyAgent>['kind'], AgentWords>> = {
  agent: {
    list: message('Agents'),
    one: message('Agent'),
    create: message('New agent'),
    deleteTitle: message('Delete the agent?'),
    deleteConsequence: message('All its versions go for good, and numbers lose it. Calls and chats stay on record.'),
    deleteButton: message('Delete agent'),
    deleted: message('The agent is deleted.'),
    duplicated: message('The agent is duplicated. Both answer with the same prompt or flow.'),
    published: message('The agent is published.'),
    publishConsequence: message(
      'It is never changed again, and new conversations use it unless another version is active. The next edit makes a new version.',
    ),
  },
  'chat-agent': {
    list: message('Chat agents'),
    one: message('Chat agent'),
    create: message('New chat agent'),
    deleteTitle: message('Delete the chat agent?'),
    deleteConsequence: message('All its versions go for good. Its ongoing chats end; chats stay on record.'),
    deleteButton: message('Delete chat agent'),
    deleted: message('The chat agent is deleted.'),
    duplicated: message('The chat agent is duplicated. Both answer with the same prompt or flow.'),
    published: message('The chat agent is published.'),
    publishConsequence: message(
      'It is never changed again, and new chats use it unless another version is active. The next edit makes a new version.',
    ),
  },
}
