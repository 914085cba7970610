import type { Problem } from '../../lib/api/problem.ts'
import type { LlmUser } from './use-llm-users.ts'

/** Somebody who keeps a configuration from being deleted: an agent, or its name alone where it is not known here. */
export type NamedUser = LlmUser | { readonly kind: null; readonly name: string }

/** Who uses a configuration, as the refusal to delete it says. */
export function usersInProblem({ details }: Pick<Problem, 'details'>, known: readonly LlmUser[]): NamedUser[] {
  return details.map(({ message }) => {
    const id = /\(([^()]+)\)$/.exec(message)?.[1] ?? message.replace(/^used by /, '')
    return known.find((user) => user.id === id) ?? { kind: null, name: message.replace(/^used by /, '') }
  })
}
