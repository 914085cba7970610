/** The dialogue engine: what an agent says and does, given what was said. The ports it needs are in `ports.ts`. */
export type {
  Conversation,
  DialogueAction,
  DialogueDependencies,
  DialogueEvent,
  DialogueState,
  Explanation,
  HistoryMessage,
  LlmEngine,
  ModelDeadlines,
  ResponseEngine,
  ToolCall,
  TurnEnd,
  TurnInput,
  VariableSources,
} from './dialogue/conversation.ts'
export { BLANK_ANSWER_LINE } from './dialogue/llm/converse.ts'
export { openConversation } from './dialogue/opening.ts'
export { respond } from './dialogue/respond.ts'
export { type ConversationVariableSources, conversationVariables } from './dialogue/variables/conversation-variables.ts'
export { type JsonPathStep, parseJsonPath, readJsonPath } from './dialogue/variables/json-path.ts'
export { describeDuration, type SystemVariableSources, systemVariables } from './dialogue/variables/system-variables.ts'
export {
  mergeVariables,
  renderTemplate,
  type VariableLayers,
  type VariableLookup,
} from './dialogue/variables/variables.ts'
export type * from './ports.ts'
