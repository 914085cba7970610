/** What a conversation has learned: name → value; `null` clears a variable that was collected before. */
export type VariableUpdates = Readonly<Record<string, string | null>>

/** The collected variables after something was learned. One that is cleared has the value again that it began with, if any. */
export function applyVariableUpdates(
  collected: Readonly<Record<string, string>>,
  learned: VariableUpdates,
): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...collected, ...learned })
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

/** What changes the collected variables: clearing one that was never collected is no news. */
export function changedVariables(
  collected: Readonly<Record<string, string>>,
  learned: VariableUpdates,
): VariableUpdates {
  const entries = Object.entries(learned)
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || Object.hasOwn(collected, name)))
}

/** Clears all of these variables. */
export function clearing(names: readonly string[]): VariableUpdates {
  return Object.fromEntries(names.map((name) => [name, null]))
}
