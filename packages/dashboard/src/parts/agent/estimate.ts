import type { Llm } from '@parley/contract/llm'
import type { Usage } from '@parley/contract/usage'

/** Characters of a usual English text that make one token. */
const CHARACTERS_PER_TOKEN = 4

export interface PromptLength {
  /** What a model is told in one go, variables as they stand. */
  readonly tokens: number
  readonly hasStates: boolean
}

/** About how long a prompt is: the general one, with that of the longest state, since one is told at a time. */
export function measurePrompt({
  general_prompt: general,
  states,
}: Pick<Llm, 'general_prompt'> & {
  readonly states: readonly Pick<Llm['states'][number], 'state_prompt'>[]
}): PromptLength {
  const longest = Math.max(0, ...states.map(({ state_prompt: prompt = '' }) => prompt.length))
  return { tokens: Math.ceil((general.length + longest) / CHARACTERS_PER_TOKEN), hasStates: longest > 0 }
}

export interface CostRate {
  readonly per: 'minute' | 'chat'
  readonly dollars: number
  /** The cost of chats is in it: what an agent cost is told as one sum. */
  readonly hasChats: boolean
}

/** What a minute of calls has cost, or a chat where nobody called; null where there was neither. */
export function costRate({ cost, minutes, chats }: Pick<Usage, 'cost' | 'minutes' | 'chats'>): CostRate | null {
  if (minutes > 0) return { per: 'minute', dollars: cost / minutes, hasChats: chats > 0 }
  return chats > 0 ? { per: 'chat', dollars: cost / chats, hasChats: true } : null
}
