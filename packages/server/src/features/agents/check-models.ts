import type { ResolveModel } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import type { PinnedAgent } from './pinned-agent.ts'

/** Which models a workspace can use now. */
export interface UsableModels {
  readonly resolve: ResolveModel
  /** What can be named now, for messages. */
  configured(): readonly string[]
}

/** Throws `model_not_configured` when none of the agent's models can be asked. */
export function checkModels({ engine, fallbackModels }: PinnedAgent, models: UsableModels): void {
  if (engine.kind === 'custom-llm') return
  if ([engine.model, ...fallbackModels].some((name) => models.resolve(name) !== null)) return
  const configured = models.configured().join(', ')
  throw new AppError(
    'model_not_configured',
    `No configured provider serves the model "${engine.model}". Configured: ${configured}.`,
  )
}
