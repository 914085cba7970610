export type Part = 'full' | 'acceptance' | 'postgres' | 'postgres-all'

export function readArguments(commandArguments: readonly string[]): {
  readonly parts: readonly Part[]
  readonly vitestArguments: readonly string[]
  readonly problem: string | null
}

export function formatSummary(outcome: {
  readonly runs: readonly {
    readonly part: Part
    readonly skippedSuites: readonly { readonly suite: string; readonly tests: number }[] | null
  }[]
  readonly missing: readonly { readonly program: string; readonly debianPackage: string }[]
}): { readonly lines: readonly string[]; readonly isComplete: boolean }
