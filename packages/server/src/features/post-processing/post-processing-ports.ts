import type { ModelUsage, ResolveModel } from '@parley/engine/ports'

/** What the end of conversations needs of others. */

/** Usage of one generation, as turns store it. `cost` is null where the price is not known. */
export interface StoredUsage extends ModelUsage {
  readonly model: string
  readonly cost: number | null
}

/** Which models a workspace can use now. */
export interface AnalysisModels {
  forWorkspace(workspaceId: number): Promise<{ readonly resolve: ResolveModel }>
}

/** USD; `null` when the price is not known. */
export type CostOf = (model: string, usage: ModelUsage) => number | null

/** What hearing or speaking cost, in USD; `null` when the price is not known, or what it is counted by. */
export type SpeechCostOf = (
  model: string,
  usage: { readonly seconds: number | null; readonly characters: number | null },
) => number | null
