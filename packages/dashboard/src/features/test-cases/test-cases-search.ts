import type { TestCase } from '@parley/contract/test-case'

/** Kinds of engine that can be tested. */
export const ENGINE_KINDS = ['llm', 'conversation-flow'] as const satisfies readonly TestCase['type'][]
export type EngineKind = (typeof ENGINE_KINDS)[number]

/** What the address of the list says. */
export interface TestCasesSearch {
  /** Every kind, when absent. */
  readonly type?: EngineKind
}

export function readTestCasesSearch({ type }: Readonly<Record<string, unknown>>): TestCasesSearch {
  const known = ENGINE_KINDS.find((kind) => kind === type)
  return known === undefined ? {} : { type: known }
}
