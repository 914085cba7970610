import type { ChatAnalysis } from '@parley/contract/chat'
import type { AnalysedConversation, Questions } from './analysed-conversation.ts'
import { findByRules } from './find-by-rules.ts'
import { judgeSentiment } from './judge-sentiment.ts'
import { judgeSuccess } from './judge-success.ts'
import { summariseByRules } from './summarise-by-rules.ts'

/** Finds out what rules can: in the words of the conversation, and nothing that is not certain. */
export function analyseByRules(conversation: AnalysedConversation, { presets, custom }: Questions): ChatAnalysis {
  const said = conversation.history.flatMap(({ role, content }) => (role === 'user' ? [content] : []))
  return {
    summary: presets.summary === null ? null : summariseByRules(conversation),
    sentiment: presets.sentiment === null ? null : judgeSentiment(said),
    successful: presets.successful === null ? null : judgeSuccess(conversation),
    customData: findByRules(custom, conversation),
  }
}
