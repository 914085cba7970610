import type { ErrorDetail } from '@parley/contract/errors'
import type { FlowDocument } from './flow-document.ts'
import { pathOfWarning } from './flow-outline.ts'
import type { FlowProblem } from './flow-problems.tsx'

/** What the server says of a document as a list, each once, each with the way there where one is known. */
export function problemsOf(
  document: FlowDocument,
  { errors, warnings }: { readonly errors: readonly ErrorDetail[]; readonly warnings: readonly string[] },
): FlowProblem[] {
  const all: FlowProblem[] = [
    ...errors.map(({ path, message }) => ({ kind: 'error' as const, path, text: message })),
    ...warnings.map((text) => ({ kind: 'warning' as const, path: pathOfWarning(document, text), text })),
  ]
  const byText = new Map(all.map((problem) => [`${problem.kind} ${problem.path} ${problem.text}`, problem]))
  return [...byText.values()]
}
