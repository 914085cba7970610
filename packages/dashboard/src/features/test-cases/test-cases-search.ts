import { ENGINE_KINDS, type EngineKind } from '../../parts/test-case/engine.ts'
import { readChoice, removeUndefined } from '../../parts/transcript/search-params.ts'

export interface TestCasesSearch {
  /** Defaults to all types. */
  readonly type?: EngineKind
}

export function readTestCasesSearch({ type }: Readonly<Record<string, unknown>>): TestCasesSearch {
  return removeUndefined({ type: readChoice(type, ENGINE_KINDS) })
}
