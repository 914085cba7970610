import { ENGINE_KINDS, type EngineKind } from '../../parts/test-case/engine.ts'

export interface TestCasesSearch {
  /** Defaults to every kind. */
  readonly type?: EngineKind
}

export function readTestCasesSearch({ type }: Readonly<Record<string, unknown>>): TestCasesSearch {
  const known = ENGINE_KINDS.find((kind) => kind === type)
  return known === undefined ? {} : { type: known }
}
