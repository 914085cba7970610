import type { Llm } from '@parley/contract/llm'
import { isSystemVariable } from '../llm/known-variables.ts'
import { variablesIn } from '../llm/variables.ts'

/** Names of the variables that an LLM configuration speaks of and that somebody has to give: in its prompts and first words. */
export function promptVariablesOf(llm: Pick<Llm, 'general_prompt' | 'begin_message' | 'states'> | null): string[] {
  if (llm === null) return []
  const texts = [
    llm.general_prompt,
    llm.begin_message ?? '',
    ...llm.states.map(({ state_prompt: prompt }) => prompt ?? ''),
  ]
  return [...new Set(texts.flatMap(variablesIn))].filter((name) => !isSystemVariable(name))
}
